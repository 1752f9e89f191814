import { toProvider } from '../../normalize/cloud.js';
import { cloudItems } from '../../normalize/cloud-finding.js';
import { cloudPlace, type CloudPlace } from '../../normalize/cloud-resource.js';
import { shortHash } from '../../normalize/identity.js';
import type { ReportItems } from '../../normalize/observation.js';
import { toSeverity } from '../../normalize/severity.js';
import { compact } from '../../readers/json/fields.js';
import type { ControlReference, ImportItem, ImportOptions } from '../../types.js';

/** One result of a check, whichever version of Prowler wrote it in whichever way. */
export interface ProwlerCheck {
  checkId: string;
  title: string;
  /** PASS, FAIL, MANUAL, INFO, WARNING, MUTED. */
  status: string;
  isMuted: boolean;
  /** What was seen. */
  detail: string | undefined;
  severity: string | undefined;
  /** `aws`, `azure`, `gcp`, `kubernetes`, `m365` ... */
  provider: string;
  account: string | undefined;
  region: string | undefined;
  /** Undefined where the check names no resource: it is one of the account. */
  resource: { uid: string; name: string | undefined; type: string | undefined } | undefined;
  service: string | undefined;
  description: string | undefined;
  risk: string | undefined;
  guidance: string | undefined;
  /** Addresses, and commands that mend it. */
  references: (string | undefined)[];
  controls: ControlReference[];
  categories: string[];
  evidence: Record<string, unknown>;
  /** What else is told of the account and the resource. */
  metadata: Record<string, unknown>;
}

const RESULTS: Readonly<Record<string, 'FAIL' | 'PASS'>> = { FAIL: 'FAIL', FAILED: 'FAIL', PASS: 'PASS', PASSED: 'PASS' };

/**
 * The items of one result. Findings are named as those of Prowler's OCSF output, so that a team that changes its output keeps them. What is
 * muted, and what nobody evaluated (MANUAL, INFO, WARNING), says nothing.
 */
export function prowlerItems(check: ProwlerCheck, position: string, options: ImportOptions, items: ReportItems): ImportItem[] {
  const result = RESULTS[check.status.trim().toUpperCase()];
  if (result === undefined || check.isMuted) return [];
  const place = placeOf(check, options);
  const texts = check.references.flatMap((text) => text?.trim() || []);
  const commands = texts.filter((text) => !/^https?:\/\//.test(text) && !/^(?:no command available|none|n\/a|-)\.?$/i.test(text));
  const isNamed = check.resource !== undefined;
  return cloudItems(
    {
      source: 'prowler',
      engine: 'check',
      ruleId: check.checkId,
      title: check.title,
      description: check.description,
      rationale: check.risk,
      severity: toSeverity(check.severity) ?? 'medium',
      result,
      place,
      discriminator: isNamed ? (place.hasRegion ? undefined : place.region) : regionAndMessage(check),
      detail: check.detail,
      guidance: check.guidance,
      steps: commands.map((detail) => ({ action: 'Run', detail })),
      urls: texts,
      controls: check.controls,
      techniques: check.controls.filter(({ framework }) => /mitre/i.test(framework)).map(({ control_id }) => control_id),
      evidence: compact({ status: check.status, categories: check.categories, ...check.evidence }),
      tags: check.categories,
      position,
    },
    items,
  );
}

function placeOf({ provider: word, resource, account, region, service, metadata }: ProwlerCheck, options: ImportOptions): CloudPlace {
  const isMicrosoft = /^(?:m365|microsoft365|entra)/i.test(word);
  const provider = toProvider(word) ?? (isMicrosoft ? 'azure' : undefined);
  return cloudPlace(
    {
      uid: resource?.uid ?? account ?? options.account_id ?? word,
      name: resource?.name,
      type: resource?.type ?? (resource === undefined ? 'account' : undefined),
      provider,
      account,
      region,
      service,
      metadata: { ...metadata, ...(isMicrosoft && { reported_provider: word, provider_inferred: true }) },
    },
    options,
  );
}

/** Version 2 names what it looked at in its message alone; numbers in it (days, counts) change from run to run. */
function regionAndMessage({ region, detail = '' }: ProwlerCheck): string {
  const message = detail.replace(/^[a-z]{2}(?:-[a-z]+)+-\d: /, '').replace(/\b\d{1,9}\b/g, '#');
  return [region ?? '', shortHash(message)].join('|');
}
