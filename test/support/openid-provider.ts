import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A registration at a provider. */
export interface Registration {
  readonly client_id: string;
  readonly client_secret: string;
  readonly redirect_uris: readonly string[];
}

/** A running OpenID provider. */
export interface RunningProvider {
  readonly issuer: string;
  stop(): Promise<void>;
}

/** Starts npm oidc-provider in a process of its own; see openid-provider-process.mjs for the people it knows. */
export async function startOpenIdProvider(registration: Registration): Promise<RunningProvider> {
  const child = spawn(process.execPath, [join(__dirname, 'openid-provider-process.mjs'), JSON.stringify(registration)], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'exit');
  const [line] = (await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    ended.then(() => Promise.reject(new Error('the OpenID provider did not start'))),
  ])) as [string];
  return {
    issuer: line,
    async stop() {
      child.kill();
      await ended;
    },
  };
}
