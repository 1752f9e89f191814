import { get, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { json } from 'node:stream/consumers';
import { required } from './required.js';

/** Asks test/support/deployments.cjs for what it names; it waits as long as that takes, which `fetch` would not. */
export async function askDeployments<T>(name: string): Promise<T> {
  const [response] = (await once(get(`${required('PALISADE_TEST_DEPLOYMENTS')}/${name}`), 'response')) as [IncomingMessage];
  const answer = (await json(response)) as T;
  if (response.statusCode !== 200) throw new Error(JSON.stringify(answer));
  return answer;
}
