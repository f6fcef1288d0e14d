/** CPU time in milliseconds that this process spends on some work. Unlike wall time, other processes do not change it. */
export async function cpuTime(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
