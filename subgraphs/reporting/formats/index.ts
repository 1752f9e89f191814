import { csv } from './csv.js';
import type { ExportFormat } from './format.js';
import { json } from './json.js';
import { jsonLines } from './json-lines.js';
import { ocsf } from './ocsf.js';
import { oscal } from './oscal.js';
import { pdf } from './pdf/pdf.js';
import { sarif } from './sarif.js';
import { vex } from './vex.js';
import { xlsx } from './xlsx.js';

/** The formats of files. A new one is its file and one line here. */
export const formats: readonly ExportFormat[] = [csv, json, jsonLines, xlsx, pdf, ocsf, sarif, vex, oscal];

/** A format by its name. */
export const formatOf = (name: string): ExportFormat => formats.find((format) => format.name === name)!;
