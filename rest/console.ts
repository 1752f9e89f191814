import type { FastifyInstance } from 'fastify';
import { wantsPage } from '../http/problem.js';
import type { PageAssets } from './page-assets.js';
import { renderScriptPage, SCRIPT_PAGES } from './script-page.js';

/** What `/` tells programs: where everything is. */
const LANDING = {
  name: 'Palisade',
  api: '/api/v1',
  graph: '/graphql',
  reference: '/gateway/docs',
  explorer: '/gateway/explorer',
  openapi: '/gateway/openapi.json',
  health: '/gateway/health',
};

/**
 * Serves the console (console/app) at `/` to browsers; programs, which do not ask for HTML, get the list of where everything is. The page is the same for everybody:
 * what it shows it asks the API for, with the reader's session, and without one it leads to the sign-in.
 * @param assets null where the program runs from its sources: then there is no console
 */
export function registerConsole(app: FastifyInstance, assets: PageAssets | null): void {
  const page = assets && renderScriptPage(SCRIPT_PAGES.console, assets.base);
  app.get('/', async (request, reply) => {
    void reply.header('vary', 'accept');
    if (page === null || !wantsPage(request)) return LANDING;
    return reply.header('cache-control', 'no-cache').type('text/html; charset=utf-8').send(page);
  });
}
