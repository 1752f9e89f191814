import { derivedRules } from '../../catalog/derived.js';
import { derivedFindings } from '../../kit/findings/derived.js';
import { instances } from './instances.js';

const SOON = 90 * 86_400_000;

/** Databases whose version is supported no more, or not much longer. */
export const endOfLifeFindings = derivedFindings({
  rules: derivedRules('databases'),
  async *failures(context, now) {
    const soon = new Date(now.getTime() + SOON);
    for await (const database of context.collection(instances.projection.rows).scan({ end_of_life: { $lte: soon } })) {
      const { end_of_life, engine, version } = database as typeof database & { end_of_life: Date; engine: string; version: string };
      const day = end_of_life.toISOString().slice(0, 10);
      yield {
        rule_id: end_of_life <= now ? 'palisade-database-end-of-life' : 'palisade-database-end-of-life-soon',
        resource: database,
        evidence: {
          attribute: 'version',
          actual: version,
          engine_version: `${engine} ${version}`,
          status_detail: `Supported by its makers until ${day}.`,
        },
      };
    }
  },
});
