import { jsonFormat, type Surroundings } from '../../normalize/json-format.js';
import { asObject, objectAt, textAt, type JsonObject } from '../../readers/json/fields.js';
import type { JsonValueItem } from '../../readers/json/item.js';
import type { ImportOptions } from '../../types.js';
import { readControlResult, type PowerpipeControl } from './result.js';

/** Benchmarks stand in benchmarks; no mod nests them deeper. */
const MAX_DEPTH = 8;
const CONTROLS = Array.from({ length: MAX_DEPTH + 1 }, (_, depth) => `${'groups[*].'.repeat(depth)}controls[*]`);
const MEMBERS = ['control_id', 'title', 'description', 'severity', 'tags'] as const;

/** Panels of a snapshot by their names: those of controls have rows of results. */
const PANEL = 'panels.*';
const ROWS = `${PANEL}.data.rows[*]`;

interface PowerpipeContext {
  controls: ReadonlyMap<string, PowerpipeControl>;
  /** Those of a snapshot, by name. */
  panels: ReadonlyMap<string, PowerpipeControl>;
  /** The benchmark that was run: another closes none of its findings. */
  benchmark: string | undefined;
  options: ImportOptions;
}

/** What tells a control of a report apart: how deep it stands, and where. */
const keyOf = ({ path, indices }: JsonValueItem): string => {
  const controls = path.slice(0, path.indexOf('controls[*]'));
  return indices.slice(0, controls.split('groups').length).join('.');
};

function controlsOf(surroundings: Surroundings): Map<string, PowerpipeControl> {
  const controls = new Map<string, PowerpipeControl>();
  for (const at of CONTROLS)
    for (const name of MEMBERS)
      for (const item of surroundings.all(`${at}.${name}`)) {
        const key = `${keyOf(item)}`;
        const control = controls.get(key) ?? {};
        controls.set(key, {
          ...control,
          [name]: name === 'tags' ? asObject(item.value) : typeof item.value === 'string' ? item.value : undefined,
        });
      }
  return controls;
}

function panelsOf(surroundings: Surroundings): Map<string, PowerpipeControl> {
  const texts = (name: string): Map<string, unknown> =>
    new Map(surroundings.all(`${PANEL}.${name}`).map(({ names, value }) => [names[0] as string, value]));
  const [types, titles, properties] = [texts('panel_type'), texts('title'), texts('properties')];
  const controls = [...types].flatMap(([name, type]) => (type === 'control' ? [name] : []));
  return new Map(
    controls.map((name) => {
      const about = asObject(properties.get(name));
      const said = {
        description: textAt(about, 'description'),
        severity: textAt(about, 'severity'),
        title: textAt({ title: titles.get(name) }, 'title'),
      };
      return [name, { control_id: name, tags: objectAt(about, 'tags'), ...said } as PowerpipeControl];
    }),
  );
}

/**
 * What Powerpipe, and Steampipe before it, print of benchmarks and controls (`--output json`), and snapshots of them (`--output snapshot`). The
 * result of a control for one resource is one record: alarms open, what is ok closes; info, skip and error say nothing.
 */
export const format = jsonFormat<PowerpipeContext>({
  name: 'powerpipe',
  label: 'Powerpipe and Steampipe benchmarks (JSON)',
  engines: ['check'],
  detection:
    'A JSON object with `group_id` and `groups` or `controls`, whose controls have a `control_id`, or a snapshot: an object with `schema_version` and `panels`.',
  produce: 'powerpipe benchmark run aws_compliance.benchmark.cis_v300 --output json > report.json',
  expected: 'a benchmark of Powerpipe ({"group_id": "root_result_group", "groups": [{"controls": [...]}]})',
  roots: ['object'],
  isOfFormat: (outline) =>
    outline.get('group_id') === 'root_result_group' ||
    outline.has('groups[].controls[].control_id') ||
    (outline.has('groups[].group_id') && (outline.has('groups[].groups') || outline.has('groups[].controls'))) ||
    (outline.has('controls[].control_id') && outline.has('controls[].results')) ||
    (outline.has('schema_version') && [...outline.keys()].some((path) => /^panels\..+\.(?:dashboard|panel_type)$/.test(path))),
  markers: ['group_id', 'groups', 'controls', 'panels'],
  records: [...CONTROLS.map((at) => `${at}.results[*]`), ROWS],
  around: [
    'groups[*].group_id',
    'layout.name',
    ...['panel_type', 'title', 'properties'].map((name) => `${PANEL}.${name}`),
    ...CONTROLS.flatMap((at) => MEMBERS.map((name) => `${at}.${name}`)),
  ],
  context: (surroundings, options) => ({
    controls: controlsOf(surroundings),
    panels: panelsOf(surroundings),
    benchmark: surroundings.text('groups[*].group_id') ?? surroundings.text('layout.name'),
    options,
  }),
  covers: () => [],
  convert(record: JsonObject, item, { controls, panels, benchmark, options }, items) {
    if (item.path === ROWS) {
      const panel = panels.get(item.names[0] as string);
      return panel === undefined ? [] : readControlResult(withDimensions(record), item, { ...panel, benchmark }, options, items);
    }
    return readControlResult(record, item, { ...controls.get(keyOf(item)), benchmark }, options, items);
  },
});

/** Rows of a snapshot have their dimensions as columns. */
function withDimensions({ reason, resource, status, ...dimensions }: JsonObject): JsonObject {
  return { reason, resource, status, dimensions: Object.entries(dimensions).map(([key, value]) => ({ key, value })) };
}
