import type { Severity } from '../../../schema/model.js';
import { configurationItems } from '../../normalize/configuration-finding.js';
import { toRating } from '../../normalize/cvss.js';
import type { ImageFacts } from '../../normalize/image-asset.js';
import type { PlaceDraft, ReportItems } from '../../normalize/observation.js';
import { vulnerabilityItems } from '../../normalize/package-vulnerability.js';
import { secretItems } from '../../normalize/secret-finding.js';
import { toSeverity } from '../../normalize/severity.js';
import type { JsonValueItem } from '../../readers/json/item.js';
import { numberAt, requireText, textAt, textsAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportItem, ImportOptions } from '../../types.js';

/** What the records of a scan share. */
export interface NeuVectorContext {
  place: PlaceDraft;
  facts: ImageFacts;
  /** `rhel:8.10`. */
  os: string | undefined;
  database: string | undefined;
  options: ImportOptions;
}

/** NeuVector's checks are those of Docker Bench and kube-bench, and have their levels. */
const VERDICTS: Readonly<Record<string, { result: 'FAIL' | 'PASS'; severity: Severity }>> = {
  ERROR: { result: 'FAIL', severity: 'high' },
  HIGH: { result: 'FAIL', severity: 'high' },
  WARN: { result: 'FAIL', severity: 'medium' },
  NOTE: { result: 'FAIL', severity: 'info' },
  PASS: { result: 'PASS', severity: 'medium' },
};

/** Turns one vulnerability, check or secret into its rule (the first time) and its observation. */
export function readNeuVectorRecord(record: JsonObject, item: JsonValueItem, context: NeuVectorContext, items: ReportItems): ImportItem[] {
  if (item.path.endsWith('vulnerabilities[*]')) return vulnerability(record, item.position, context, items);
  return item.path.endsWith('secrets[*]') ? secret(record, item.position, context, items) : check(record, item.position, context, items);
}

function vulnerability(record: JsonObject, position: string, { place, os, database }: NeuVectorContext, items: ReportItems): ImportItem[] {
  const id = requireText(record, 'name');
  const name = requireText(record, 'package_name');
  const fixed = textAt(record, 'fixed_version');
  const file = textAt(record, 'file_name');
  const v3 = numberAt(record, 'score_v3');
  const v2 = numberAt(record, 'score');
  return vulnerabilityItems(
    {
      source: 'neuvector',
      advisory: {
        id,
        aliases: textsAt(record, 'cves'),
        description: textAt(record, 'description'),
        severity: toSeverity(textAt(record, 'severity')),
        // a score of 0 is one that it does not know
        ratings: [
          v3 === undefined || v3 === 0 ? undefined : toRating(v3, textAt(record, 'vectors_v3'), { version: '3.1' }),
          v2 === undefined || v2 === 0 ? undefined : toRating(v2, textAt(record, 'vectors'), { version: '2.0' }),
        ],
        urls: [textAt(record, 'link')],
        fixedVersions: fixed?.split(/;|\|\|/).map((version) => version.replace(/^[>=\s]+/, '').trim()) ?? [],
        publishedAt: timeOf(record, 'published_timestamp'),
        modifiedAt: timeOf(record, 'last_modified_timestamp'),
      },
      package: {
        name,
        version: textAt(record, 'package_version'),
        ecosystem: file === undefined ? os : undefined,
        paths: file === undefined ? [] : [file],
      },
      place,
      evidence: {
        feed_rating: textAt(record, 'feed_rating'),
        in_base_image: record['in_base_image'] === true ? true : undefined,
        cpes: textsAt(record, 'cpes'),
        tags: textsAt(record, 'tags'),
        database,
        os,
      },
      position,
    },
    items,
  );
}

function check(record: JsonObject, position: string, { place }: NeuVectorContext, items: ReportItems): ImportItem[] {
  const number = requireText(record, 'test_number');
  const level = textAt(record, 'level')?.toUpperCase() ?? '';
  const verdict = Object.hasOwn(VERDICTS, level) ? VERDICTS[level] : undefined;
  if (verdict === undefined) return [];
  const category = textAt(record, 'category') ?? textAt(record, 'catalog');
  return configurationItems(
    {
      source: 'neuvector',
      engine: 'container-security',
      ruleId: `neuvector-${category ?? 'check'}-${number}`,
      title: `${number} ${textAt(record, 'description') ?? ''}`.trim(),
      message: textsAt(record, 'message').join('\n') || undefined,
      ...verdict,
      place,
      guidance: textAt(record, 'remediation'),
      tags: [category, textAt(record, 'profile')],
      evidence: { level, category, check_type: textAt(record, 'type'), profile: textAt(record, 'profile'), group: textAt(record, 'group') },
      position,
    },
    items,
  );
}

/** The evidence is the secret. */
function secret(record: JsonObject, position: string, { place }: NeuVectorContext, items: ReportItems): ImportItem[] {
  const file = textAt(record, 'path');
  const detector = textAt(record, 'type');
  if (file === undefined && detector === undefined) return [];
  return secretItems(
    {
      source: 'neuvector',
      tool: 'NeuVector',
      detector: detector ?? 'secret',
      file,
      secrets: [textAt(record, 'evidence')],
      place,
      position,
    },
    items,
  );
}

/** Seconds since 1970. */
function timeOf(record: JsonObject, key: string): string | undefined {
  const seconds = numberAt(record, key);
  return seconds === undefined || seconds <= 0 || seconds > 1e11 ? undefined : new Date(seconds * 1000).toISOString();
}
