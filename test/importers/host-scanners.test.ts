import { fixture } from './fixtures.js';
import { readAll } from './read-all.js';

/** Engine, result, severity, rule, resource and discriminator of each observation of a fixture, in order. */
const told = async (format: string, report: string): Promise<string[]> =>
  (await readAll(format, fixture(format, report))).observations.map(
    ({ engine, result, severity, rule_id, resource_uid, discriminator = '-' }) =>
      [engine, result, severity, rule_id, resource_uid, discriminator].join(' '),
  );
