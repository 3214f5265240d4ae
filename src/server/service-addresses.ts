/** Where services are to be found: `namespace/name`, or with its port, to a URL such as `https://127.0.0.1:9443`. */
export type ServiceAddresses = ReadonlyMap<string, string>;

/** The URL of a port of a service; `undefined` = none is given. */
export function addressOf(
  services: ServiceAddresses,
  { namespace, name, port }: { readonly namespace: string; readonly name: string; readonly port: number },
): string | undefined {
  return services.get(`${namespace}/${name}:${port}`) ?? services.get(`${namespace}/${name}`);
}
