import { once } from 'node:events';
import { createServer } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { ConfigError, type Config } from '../kit/base/config.js';

type Address = Pick<Config, 'HOST' | 'PORT'>;

/** What to set when a process may not listen where it is configured to. */
function refusal(error: unknown, { HOST, PORT }: Address): unknown {
  const { code } = error as NodeJS.ErrnoException;
  const elsewhere = 'set PORT (or --port) to another one; 0 picks a free one';
  if (code === 'EADDRINUSE') return new ConfigError(`port ${PORT} of ${HOST} is in use: end the process that has it, or ${elsewhere}`);
  if (code === 'EACCES' || code === 'EPERM') return new ConfigError(`this user may not listen on port ${PORT} of ${HOST}: ${elsewhere}`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'EINVAL')
    return new ConfigError(`${HOST} is no address of this machine: set HOST to one, 127.0.0.1 or 0.0.0.0 for example`);
  return error;
}

/**
 * Tries the address that a process will listen on, before anything that takes time is opened.
 * @throws ConfigError that names the settings
 */
export async function assertCanListen(config: Address): Promise<void> {
  const server = createServer();
  try {
    server.listen(config.PORT, config.HOST);
    await once(server, 'listening');
    server.close();
    await once(server, 'close');
  } catch (error) {
    throw refusal(error, config);
  }
}

/** Listens on the address of the configuration. @returns the URL @throws ConfigError that names the settings */
export async function listen(app: FastifyInstance, config: Address): Promise<string> {
  try {
    return await app.listen({ port: config.PORT, host: config.HOST });
  } catch (error) {
    throw refusal(error, config);
  }
}
