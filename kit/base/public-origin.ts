import type { Config } from './config.js';

/**
 * The origin of links that are sent to people: PUBLIC_URL, else the address that this process listens on. Never what a request says of
 * itself: whoever sends the request would decide where the link leads.
 */
export const publicOrigin = ({
  PUBLIC_URL,
  HOST = '127.0.0.1',
  PORT = 8000,
}: Partial<Pick<Config, 'PUBLIC_URL' | 'HOST' | 'PORT'>>): string =>
  PUBLIC_URL === undefined ? `http://${HOST.includes(':') ? `[${HOST}]` : HOST}:${PORT}` : new URL(PUBLIC_URL).origin;
