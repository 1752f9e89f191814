import { get, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { json } from 'node:stream/consumers';
import { required } from './required.js';

/** Asks test/support/deployments.cjs for what it names; it waits as long as that takes, which `fetch` would not. */
export async function askDeployments<T>(name: string): Promise<T> {
  // a connection of its own: one kept from an earlier file may be closed by the other side just as it is used again
  const request = get(`${required('PALISADE_TEST_DEPLOYMENTS')}/${name}`, { agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const answer = (await json(response)) as T;
  if (response.statusCode !== 200) throw new Error(JSON.stringify(answer));
  return answer;
}
