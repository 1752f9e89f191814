import { FEED_KINDS, NotOfFeed, type FeedKind } from '../feeds/kinds.js';
import { loadFeed, MAX_BYTES } from '../feeds/load.js';
import { fileSource } from '../importers/readers/source.js';
import { PalisadeError } from '../kit/base/errors.js';
import type { EngineServices } from '../kit/engine/context.js';
import { command, text, UsageError } from './command-line.js';
import { asOperator } from './operator.js';

const USAGE = `palisade feeds update kev|epss|osv FILE... [--data DIR]
Loads files of a vulnerability feed for all tenants, beside a running server or without one: the catalog of known exploited vulnerabilities of
CISA (JSON or CSV), the exploit predictions of FIRST (CSV, gzip or not), advisories of OSV (zip, JSON or JSON lines). Open vulnerabilities are
scored anew in the background where a feed tells something else. A file that is damaged changes nothing.`;

const isKind = (text: string | undefined): text is FeedKind => (FEED_KINDS as readonly (string | undefined)[]).includes(text);

/** The command `palisade feeds`. */
export const run = command(USAGE, { data: text }, async ({ data }, [what, kind, ...files]) => {
  if (what !== 'update') throw new UsageError('say update');
  if (!isKind(kind)) throw new UsageError(`name a feed: ${FEED_KINDS.join(', ')}`);
  if (files.length === 0) throw new UsageError('name a FILE');
  return asOperator('palisade feeds', data, async (services) => {
    const lines: string[] = [];
    for (const file of files) lines.push(await load(services, kind, file));
    return lines.join('\n');
  });
});

async function load(services: EngineServices, kind: FeedKind, file: string): Promise<string> {
  try {
    const { version, records, changed } = await loadFeed(services, kind, fileSource(file, { maxBytes: MAX_BYTES[kind] }));
    return `${file}: ${records} records${version === null ? '' : ` of ${version}`}, ${changed} changed`;
  } catch (error) {
    if (error instanceof NotOfFeed) throw new PalisadeError('VALIDATION_ERROR', `${file} was not loaded: ${error.message}`);
    throw error;
  }
}
