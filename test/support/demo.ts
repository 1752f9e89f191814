import { cpSync } from 'node:fs';
import { askDeployments } from './ask-deployments.js';

/** The password of the people in the demo that the test files share, and the secret of those who need a second factor. */
export interface Demo {
  readonly password: string;
  readonly totpSecret: string;
}

/** Copies the shared data folder with the whole demo to `folder`, which must not exist or be empty: a server starts over it in a second. */
export async function copyDemo(folder: string): Promise<Demo> {
  const { data, ...demo } = await askDeployments<Demo & { data: string }>('demo');
  cpSync(data, folder, { recursive: true });
  return demo;
}
