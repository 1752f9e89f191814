import { jsonFormat } from '../../normalize/json-format.js';
import { coverage } from '../../normalize/scope.js';
import type { JsonOutline } from '../../readers/json/outline.js';
import { readOccurrence, type OccurrenceContext } from './occurrence.js';

/** Occurrences stand in an image's description by severity, in an array, or in what the interface answers. */
const RECORDS = ['package_vulnerability_summary.vulnerabilities.*[*]', '$[*]', 'occurrences[*]'];
const PLACES = ['[].', 'occurrences[].'];

const isOccurrence = (outline: JsonOutline, at: string): boolean =>
  outline.has(`${at}noteName`) && (outline.has(`${at}resourceUri`) || outline.has(`${at}vulnerability`) || outline.has(`${at}discovery`));

/** Occurrences of Google Cloud's Artifact Analysis (Container Analysis). One occurrence is one record; those of other kinds than vulnerabilities give nothing. */
export const format = jsonFormat<OccurrenceContext>({
  name: 'google_artifact_analysis',
  label: 'Google Artifact Analysis occurrences',
  engines: ['vulnerability'],
  detection: 'A JSON object with `package_vulnerability_summary` or `image_summary`, or occurrences with a `noteName` and a `resourceUri`.',
  produce: 'gcloud artifacts docker images describe IMAGE --show-package-vulnerability --format json > report.json',
  outsideClouds: true,
  expected: 'occurrences of Artifact Analysis ({"image_summary": ..., "package_vulnerability_summary": {"vulnerabilities": {...}}})',
  roots: ['object', 'array'],
  isOfFormat: (outline) =>
    outline.has('package_vulnerability_summary') ||
    outline.has('image_summary.fully_qualified_digest') ||
    PLACES.some((at) => isOccurrence(outline, at)),
  markers: ['package_vulnerability_summary', 'image_summary', 'occurrences', '[].noteName'],
  records: RECORDS,
  around: ['image_summary.fully_qualified_digest'],
  context: (surroundings, options) => ({ image: surroundings.text('image_summary.fully_qualified_digest'), options, places: new Map() }),
  covers: ({ image, options }) =>
    image === undefined ? [] : [coverage('vulnerability', options.artifact ?? image, 'google_artifact_analysis', options)],
  convert: readOccurrence,
});
