/** Milliseconds of processor time that this process spends on some work: unlike a clock, other processes do not change it. */
export async function cpuTime(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
