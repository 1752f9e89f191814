import { readdirSync, readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { z } from 'zod';
import { texts } from './table.js';

const FOLDER = new URL('../escalations/', import.meta.url);

const escalationSchema = z.strictObject({
  id: z.string().regex(/^[a-z0-9-]+$/),
  title: z.string(),
  /** The actions that it takes, all of them. */
  needs: z.array(z.string()).min(1),
  /** Whose rights are won: those of an administrator, those of others that are named by the resources of the first action, or of one that is passed. */
  to: z.enum(['administrator', 'identity', 'passed']),
  /** Types of what the resources of the first action are: identities, or workloads whose identity is won. */
  wins: texts,
  /** The action that passes an identity, and what the identity must trust for it. */
  passes: z.strictObject({ type: z.string(), action: z.string(), trusts: z.string().optional() }).optional(),
  reference: z.url(),
});
const fileSchema = z.strictObject({ provider: z.string(), escalations: z.array(escalationSchema) });

export type Escalation = z.infer<typeof escalationSchema>;

let read: ReadonlyMap<string, readonly Escalation[]> | undefined;

/** The known ways to more rights, by provider (`catalog/escalations/`). @throws where a file is not of the form */
export function escalations(): ReadonlyMap<string, readonly Escalation[]> {
  read ??= new Map(
    readdirSync(FOLDER)
      .filter((file) => file.endsWith('.yaml'))
      .sort()
      .map((file) => fileSchema.parse(load(readFileSync(new URL(file, FOLDER), 'utf8'))))
      .map((file) => [file.provider, file.escalations]),
  );
  return read;
}
