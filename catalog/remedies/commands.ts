import { readFileSync, readdirSync } from 'node:fs';
import { load } from 'js-yaml';
import { z } from 'zod';
import { globs } from '../glob.js';
import { fill } from '../template.js';
import type { Rule } from '../types.js';

/** The command that mends what fails a rule, or why there is none. */
export type Command = { command: string } | { no_command: string };

const FOLDER = new URL('./commands/', import.meta.url);

const text = z.string().trim().min(1);
const selected = { types: z.array(text).min(1), ends: z.array(text).min(1).optional() };
const tableSchema = z.array(z.union([z.strictObject({ ...selected, run: text }), z.strictObject({ ...selected, none: text })]));

/** An item of a table of commands. */
export interface CommandItem {
  /** Where it stands: `aws.yaml 3`. */
  place: string;
  fits(rule: Rule): boolean;
  says(rule: Rule): Command;
}

/** Reads `commands/<provider>.yaml`, in order: of a provider the first item that fits a rule counts. @throws ZodError where a file is wrong */
export function readCommands(): ReadonlyMap<string, readonly CommandItem[]> {
  return new Map(
    readdirSync(FOLDER).map((file) => {
      const table = tableSchema.parse(load(readFileSync(new URL(file, FOLDER), 'utf8')));
      return [file.replace('.yaml', ''), table.map((item, i) => commandItem(`${file} ${i + 1}`, item))];
    }),
  );
}

function commandItem(place: string, item: z.infer<typeof tableSchema>[number]): CommandItem {
  const types = globs(item.types);
  const ends = item.ends && globs(item.ends.map((end) => `*.${end}`));
  return {
    place,
    fits: ({ rule_id, resource_types }) => resource_types.some((type) => types.test(type)) && (ends === undefined || ends.test(rule_id)),
    says: ({ resource_types, variables }) =>
      'none' in item ? { no_command: item.none } : { command: fill(item.run, { ...variables, kind: kindOf(resource_types[0]!) }) },
  };
}

/** What `kubectl` calls a type: `kubernetes_cron_job_v1` is `cronjob`. */
const kindOf = (type: string): string =>
  type
    .replace(/^kubernetes_/, '')
    .replace(/_v\d\w*$/, '')
    .replaceAll('_', '');
