import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { z } from 'zod';
import { loadCatalog } from '../../catalog/catalog.js';
import { RuleSet, type Verdict } from '../../catalog/evaluate.js';
import { companionTypes, readInventory } from '../../catalog/inventory.js';
import { subjectOf } from '../../catalog/subject.js';
import { bufferSource, detectFormat, type ImportItem, type ReportSource } from '../../importers/index.js';

/** One estate as a Terraform state and as a cloud answers it. */
const caseSchema = z.strictObject({
  title: z.string(),
  /** Resources by type, as their provider writes them. */
  state: z.record(z.string(), z.record(z.string(), z.unknown())),
  /** An answer; or a list of recorded answers, of assets, of resources. */
  report: z.unknown(),
  /** Rules that the two decide otherwise, by the reason. */
  otherwise: z.record(z.string(), z.array(z.string())).default({}),
});
type Case = z.infer<typeof caseSchema>;

/** Rules that a state decides and the answer leaves open: case -> why -> rules. */
const untold = z
  .record(z.string(), z.record(z.string(), z.array(z.string())))
  .parse(load(readFileSync(join(__dirname, 'inputs', 'untold.yaml'), 'utf8')));

const PROVIDERS = { aws: 'hashicorp/aws', gcp: 'hashicorp/google', azure: 'hashicorp/azurerm' } as const;
const casesOf = (provider: string): Case[] =>
  z.array(caseSchema).parse(load(readFileSync(join(__dirname, 'inputs', `${provider}.yaml`), 'utf8')));

const rules = new RuleSet(loadCatalog().rules);
const companions = companionTypes(loadCatalog().rules);

function stateOf(provider: keyof typeof PROVIDERS, resources: Case['state']): string {
  const written = Object.entries(resources).map(([type, attributes]) => ({
    ...{ mode: 'managed', type, name: 'one', provider: `provider["registry.terraform.io/${PROVIDERS[provider]}"]` },
    instances: [{ attributes }],
  }));
  return JSON.stringify({ version: 4, terraform_version: '1.9.0', serial: 1, lineage: 'one', resources: written });
}

const reportOf = (report: unknown): string => {
  const isRecorded = Array.isArray(report) && report.every((line: { source?: unknown }) => typeof line.source === 'string');
  return isRecorded ? report.map((line) => JSON.stringify(line)).join('\n') : JSON.stringify(report);
};

/** Resource type -> rule -> verdict, of the first resource of each type. */
async function verdictsOf(text: string): Promise<Map<string, Map<string, Verdict>>> {
  const source: ReportSource = bufferSource(Buffer.from(text));
  const format = detectFormat(text)!;
  const read = (): AsyncIterable<ImportItem> => format.read(source, { account_id: '111122223333' });
  const inventory = await readInventory(read(), companions);
  const verdicts = new Map<string, Map<string, Verdict>>();
  for await (const item of read()) {
    if (item.kind !== 'asset' || verdicts.has(item.asset.resource_type)) continue;
    const said = rules.evaluate(subjectOf(item.asset), inventory);
    verdicts.set(item.asset.resource_type, new Map(said.map(({ rule, result }) => [rule.rule_id, result])));
  }
  return verdicts;
}

describe.each(['aws', 'gcp', 'azure'] as const)('%s: a state and an answer of the cloud are judged alike:', (provider) => {
  it.each(casesOf(provider).map((one) => [one.title, one] as const))('%s', async (title, { state, report, otherwise }) => {
    const [stated, answered] = [await verdictsOf(stateOf(provider, state)), await verdictsOf(reportOf(report))];
    const open: string[] = [];
    const other: string[] = [];
    let same = 0;
    for (const type of Object.keys(state))
      for (const [rule, verdict] of stated.get(type)!) {
        const said = answered.get(type)?.get(rule);
        if (said === verdict) same += 1;
        else if (said === 'NOT_EVALUATED') open.push(rule);
        else other.push(rule);
      }
    expect(other.sort()).toEqual(Object.values(otherwise).flat().sort());
    expect(open.sort()).toEqual(
      Object.values(untold[title] ?? {})
        .flat()
        .sort(),
    );
    // more is told than not
    expect(same).toBeGreaterThanOrEqual(open.length);
  });
});
