import { configurationItems } from '../../normalize/configuration-finding.js';
import type { ReportItems } from '../../normalize/observation.js';
import { requireText, textAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportItem, ImportOptions } from '../../types.js';
import { deepfencePlace } from './place.js';

const RESULTS: Readonly<Record<string, 'FAIL' | 'PASS'>> = { pass: 'PASS', ok: 'PASS', warn: 'FAIL', alarm: 'FAIL', fail: 'FAIL' };
/** Clouds are checked by Steampipe, all else by tests on the node. */
const CLOUD = /^(?:aws|azure|gcp|cloud)/i;
/** `3.6 - PASS` stands where the words of the test should. */
const VERDICT = /^[\w.]+ - [A-Za-z]+$/;

/** Turns one test of one node into its rule (the first time) and its observation; information and what is masked give nothing. */
export function readCompliance(row: JsonObject, position: string, options: ImportOptions, items: ReportItems): ImportItem[] {
  const number = requireText(row, 'test_number');
  const status = textAt(row, 'status')?.toLowerCase() ?? '';
  const result = Object.hasOwn(RESULTS, status) ? RESULTS[status] : undefined;
  if (result === undefined || textAt(row, 'masked')?.toLowerCase() === 'true') return [];
  const standard = textAt(row, 'compliance_check_type');
  const type = textAt(row, 'node_type');
  const words = [textAt(row, 'test_info'), textAt(row, 'test_desc')].filter((text) => text !== undefined && !VERDICT.test(text));
  const section = number.replace(new RegExp(`^${(standard ?? '').replace(/\W/g, '')}_`, 'i'), '');
  return configurationItems(
    {
      source: 'deepfence',
      engine: CLOUD.test(type ?? '') ? 'check' : 'cwpp',
      ruleId: number,
      title: (words[0] ?? number).replace(/\s*\((?:Automated|Manual)\)\s*$/, ''),
      severity: 'medium',
      result,
      place: deepfencePlace(
        { type, name: textAt(row, 'node_name') ?? textAt(row, 'host_name'), account: textAt(row, 'cloud_account_id') },
        options,
      ),
      // a test of many files is told of each
      seen: words[0],
      controls: standard === undefined ? [] : [{ framework: standard, control_id: section }],
      tags: [textAt(row, 'test_category')],
      evidence: { status, category: textAt(row, 'test_category'), resource: textAt(row, 'resource'), workload: textAt(row, 'node_name') },
      position,
    },
    items,
  );
}
