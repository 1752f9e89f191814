import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Options, ValidateFunction } from 'ajv';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import draft4 from 'ajv-draft-04';
import formats from 'ajv-formats';

const read = (name: string) => JSON.parse(readFileSync(join('test/fixtures/schemas', `${name}.json`), 'utf8')) as object;
const options: Options = { strict: false, allErrors: true };

/** CycloneDX names formats of its own tools; the usual ones are checked. */
function cyclonedx(): ValidateFunction {
  const ajv = new Ajv(options);
  formats.default(ajv);
  for (const [name, form] of [
    ['idn-email', 'email'],
    ['iri-reference', 'uri-reference'],
  ] as const)
    ajv.addFormat(name, ajv.formats[form]!);
  return ajv.addSchema(read('jsf-0.82')).addSchema(read('spdx')).compile(read('cyclonedx-1.6'));
}

function sarif(): ValidateFunction {
  const ajv = new draft4.default(options);
  formats.default(ajv as never);
  return ajv.compile(read('sarif-2.1.0')) as ValidateFunction;
}

function oscal(): ValidateFunction {
  const ajv = new Ajv(options);
  formats.default(ajv);
  return ajv.compile(read('oscal-assessment-results-1.2.3'));
}

function ocsf(): (event: object) => ValidateFunction {
  const ajv = new Ajv2020(options);
  formats.default(ajv as never);
  ajv.addSchema(read('ocsf-1.4.0'), 'ocsf');
  return (event) => {
    const { class_uid } = event as { class_uid: number };
    const found = ajv.getSchema(`ocsf#/$defs/class_${class_uid}`);
    if (!found) throw new Error(`there is no schema of the class ${class_uid}`);
    return found as ValidateFunction;
  };
}

const told = (validate: ValidateFunction, value: unknown): string[] =>
  validate(value)
    ? []
    : validate.errors!.map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`);

let made: { sarif: ValidateFunction; cyclonedx: ValidateFunction; oscal: ValidateFunction; ocsf: ReturnType<typeof ocsf> } | undefined;

/** Where a file breaks the schema that its format's publisher gives out; nothing where it does not. */
export function breachesOf(format: 'sarif' | 'vex' | 'ocsf' | 'oscal', file: string): string[] {
  made ??= { sarif: sarif(), cyclonedx: cyclonedx(), oscal: oscal(), ocsf: ocsf() };
  if (format === 'sarif') return told(made.sarif, JSON.parse(file));
  if (format === 'vex') return told(made.cyclonedx, JSON.parse(file));
  if (format === 'oscal') return told(made.oscal, JSON.parse(file));
  const events = file
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  return events.flatMap((event, n) => told(made!.ocsf(event), event).map((breach) => `${n}: ${breach}`));
}
