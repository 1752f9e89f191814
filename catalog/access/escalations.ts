import { readdirSync, readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { z } from 'zod';
import { decide } from './decide.js';
import { givenAnywhere, type Held } from './held.js';
import type { AccessModel } from './model.js';
import { matchesPattern } from '../cel/policy.js';
import type { Answer, Said } from './types.js';

const FOLDER = new URL('../escalations/', import.meta.url);

const escalationSchema = z.strictObject({
  id: z.string().regex(/^[a-z0-9-]+$/),
  title: z.string(),
  /** The actions that it takes, all of them. */
  needs: z.array(z.string()).min(1),
  /** Whose rights are won: those of an administrator, those of others that are named by the resources of the first action, or of one that is passed. */
  to: z.enum(['administrator', 'identity', 'passed']),
  /** The action that passes an identity, and what the identity must trust for it. */
  passes: z.strictObject({ type: z.string(), action: z.string(), trusts: z.string().optional() }).optional(),
  reference: z.url(),
});
const fileSchema = z.strictObject({ provider: z.string(), escalations: z.array(escalationSchema) });

export type Escalation = z.infer<typeof escalationSchema>;

/** An escalation that is open to an identity. */
export interface FoundEscalation {
  id: string;
  title: string;
  answer: Exclude<Answer, 'denied'>;
  /** What it leads to: an administrator's rights, or other identities. */
  to: Escalation['to'];
  /** The identities that are won; none where it is any, or an administrator. */
  identity_uids: string[];
  needs: string[];
  by: Said[];
  reference: string;
}

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

const SURE: readonly Answer[] = ['denied', 'unknown', 'conditional', 'allowed'];
/** Identities that one escalation names at most. */
const MOST_WON = 100;

/**
 * The ways to more rights that are open to an identity, by what it is given.
 * @param among only these are looked at where an identity is passed; all when it is left out
 */
export function escalationsOf(
  model: AccessModel,
  provider: string,
  uid: string,
  held: Held,
  among?: ReadonlySet<string>,
): FoundEscalation[] {
  const given = new Map<string, ReturnType<typeof givenAnywhere>>();
  const on = (action: string) => {
    const known = given.get(action) ?? givenAnywhere(held, action);
    given.set(action, known);
    return known;
  };
  const access = model.of(provider);
  const passable = new Map<string, string[]>();
  // many ways pass the same identities on
  const passed = (type: string, action: string): string[] => {
    const known =
      passable.get(`${type} ${action}`) ??
      model
        .ofTypes([type])
        .filter(
          (target) => target !== uid && among?.has(target) !== false && decide(access.weigh(uid, action, target)).answer !== 'denied',
        );
    passable.set(`${type} ${action}`, known);
    return known;
  };
  const found: FoundEscalation[] = [];
  for (const { id, title, needs, to, passes, reference } of escalations().get(provider) ?? []) {
    const answers = needs.map(on);
    const worst = Math.min(...answers.map(({ answer }) => SURE.indexOf(answer)));
    if (worst === 0) continue;
    let won: string[] = [];
    if (passes !== undefined) {
      const { trusts } = passes;
      won = passed(passes.type, passes.action).filter(
        (target) => trusts === undefined || decide(access.weigh(`Service:${trusts}`, 'sts:AssumeRole', target)).answer !== 'denied',
      );
      // nobody to pass: the way leads nowhere, as far as the inventory shows
      if (won.length === 0 && !on(passes.action).resources.some((place) => matchesPattern(place, '*'))) continue;
    }
    found.push({
      id,
      title,
      answer: SURE[worst] as FoundEscalation['answer'],
      to,
      identity_uids: won.slice(0, MOST_WON),
      needs,
      by: unique(answers.flatMap(({ by }) => by)),
      reference,
    });
  }
  return found;
}

const unique = (list: readonly Said[]): Said[] => [...new Map(list.map((one) => [`${one.resource_uid} ${one.statement}`, one])).values()];
