/** Imports a package of bench/peers, which is not installed with the rest and so has no types here. */
export function load<Module>(name: string): Promise<Module> {
  return import(name) as Promise<Module>
}
