import type { Severity } from '../../../schema/model.js';
import { outsidePlace } from '../../normalize/artifact.js';
import { configurationItems } from '../../normalize/configuration-finding.js';
import { jsonFormat, type Surroundings } from '../../normalize/json-format.js';
import type { PlaceDraft } from '../../normalize/observation.js';
import { coverage } from '../../normalize/scope.js';
import { readJson } from '../../readers/json/records.js';
import { plainText, requireText, textAt, textsAt } from '../../readers/json/fields.js';
import type { ImportOptions, ReportSource } from '../../types.js';

interface DockerBenchContext {
  place: PlaceDraft;
  surroundings: Surroundings;
  options: ImportOptions;
}

/** Docker Bench has no severities: a warning is what failed; a note is what a person has to look at. */
const VERDICTS: Readonly<Record<string, { result: 'FAIL' | 'PASS'; severity: Severity }>> = {
  WARN: { result: 'FAIL', severity: 'medium' },
  FAIL: { result: 'FAIL', severity: 'medium' },
  NOTE: { result: 'FAIL', severity: 'info' },
  PASS: { result: 'PASS', severity: 'medium' },
};

/** Docker Bench for Security's JSON report. One result is one record: warnings and notes open, passes close, information gives nothing. */
export const format = jsonFormat<DockerBenchContext>({
  name: 'docker_bench',
  label: 'Docker Bench for Security JSON',
  engines: ['container-security'],
  detection: 'A JSON object with `dockerbenchsecurity` and `tests`.',
  produce: 'sudo ./docker-bench-security.sh -l report && cat report.json',
  outsideClouds: true,
  observedAt: timeOfEnd,
  expected: 'a report of Docker Bench ({"dockerbenchsecurity": "1.6.0", "tests": [{"id": ..., "results": [...]}]})',
  roots: ['object'],
  isOfFormat: (outline) => outline.has('dockerbenchsecurity'),
  markers: ['dockerbenchsecurity', 'tests'],
  records: ['tests[*].results[*]'],
  around: ['dockerbenchsecurity', 'tests[*].desc'],
  context: (surroundings, options) => ({
    // the report does not name the host on which it was made
    place: outsidePlace(options.artifact ?? 'docker-host', 'host', options),
    surroundings,
    options,
  }),
  covers: ({ place, options }) => [coverage('container-security', place.resource_uid, 'docker_bench', options)],
  convert(record, { position, indices }, { place, surroundings }, items) {
    const id = requireText(record, 'id');
    const status = textAt(record, 'result')?.toUpperCase() ?? '';
    const verdict = Object.hasOwn(VERDICTS, status) ? VERDICTS[status] : undefined;
    if (verdict === undefined) return [];
    return configurationItems(
      {
        source: 'docker_bench',
        engine: 'container-security',
        ruleId: `docker-bench-${id}`,
        title: `${id} ${(textAt(record, 'desc') ?? '').replace(/\s*\((?:Automated|Manual|Scored|Not Scored)\)\s*$/, '')}`.trim(),
        message: textAt(record, 'details'),
        ...verdict,
        place,
        guidance: textAt(record, 'remediation'),
        controls: /^\d+(?:\.\d+)+$/.test(id) ? [{ framework: 'Docker Bench for Security', control_id: id }] : [],
        tags: [surroundings.textNear('tests[*].desc', indices)],
        evidence: {
          status,
          section: surroundings.textNear('tests[*].desc', indices),
          affected: textsAt(record, 'items').slice(0, 100),
          impact: textAt(record, 'remediation-impact'),
          tool_version: surroundings.text('dockerbenchsecurity'),
        },
        position,
      },
      items,
    );
  },
});

/** Seconds since 1970; the end stands behind the tests, the start before them. */
async function timeOfEnd(source: ReportSource): Promise<Date | undefined> {
  let time: Date | undefined;
  for await (const item of readJson(source, ['start', 'end'])) {
    const seconds = item.kind === 'value' ? Number(plainText(item.value) || NaN) : NaN;
    if (seconds > 0 && seconds < 1e11) time = new Date(seconds * 1000);
  }
  return time;
}
