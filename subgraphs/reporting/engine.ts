import { defineEngine } from '../../kit/engine/engine.js';
import { readSharedSchema } from '../../kit/engine/read-schema.js';
import { exportsPart } from './exports/part.js';
import { reportsPart } from './reports/part.js';

export const engine = defineEngine({
  name: 'reporting',
  label: 'Reporting',
  description: 'Exports of findings, assets, frameworks and the audit log as files, and reports that make them by timetable.',
  prefixes: [],
  typeDefs: readSharedSchema('job'),
  resolvers: {},
  parts: [exportsPart, reportsPart],
});
