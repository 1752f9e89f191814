import type { RestClient } from '../rest-client.js';
import type { RestAnswer } from '../rest-client.js';

/** Options that let a test stand for the hosts of a provider. */
export interface Hosts {
  /** The address of a host; `https://` with its name when absent. */
  readonly baseOf?: (host: string) => string;
}

/** A client a host, made when it is first asked; they last as long as the collection. */
export function clientsOf(open: (base: string, host: string) => RestClient, { baseOf = (host) => `https://${host}` }: Hosts) {
  const clients = new Map<string, RestClient>();
  return (host: string): RestClient => {
    const client = clients.get(host) ?? open(baseOf(host), host);
    clients.set(host, client);
    return client;
  };
}

/** An answer that is a list alone, as the member `data` of an object, as the command lines of the providers print it. */
export const withData = (answer: RestAnswer): RestAnswer =>
  Array.isArray(answer.body) ? { ...answer, body: { data: answer.body as unknown } } : answer;
