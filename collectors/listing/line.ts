import type { ServiceCalls } from '../service-calls.js';

/**
 * What is asked of an interface: a list, or one thing. In its path, `{name}` stands for a member of the thing that is asked about (`{^name}` of the one that this was
 * found under), or of the place: `{account}`, `{region}` and what else the provider has.
 */
export interface Line {
  /** `list-security-groups`; `<provider>/<service>/<call>` is the source of its answers. */
  readonly call: string;
  /** What it takes, in the provider's own name. */
  readonly permission: string;
  /** The host that takes it, with names in braces as in the path. */
  readonly host: string;
  readonly path: string;
  /** A question that is put by POST; a call without one is a GET. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** The member that names the thing to which the answer belongs, where answers are told of one thing each: `{id}` where absent. */
  readonly about?: string;
  /** Paths of the answer that are left out, as they hold secrets. */
  readonly without?: readonly string[];
  /** The list of the answer about whose things `then` asks. */
  readonly each?: string;
  /** What things of that list must have to be told at all, where it holds those of other services, too: patterns by paths. */
  readonly keep?: Readonly<Record<string, RegExp>>;
  /** What such a thing must have to be asked about: patterns by paths. */
  readonly only?: Readonly<Record<string, RegExp>>;
  readonly then?: readonly Line[];
}

/** Calls of one service of a provider. */
export interface Service<Where extends string> {
  readonly service: string;
  /** The names under which people choose it and it is granted, where the provider has several for it, or none. */
  readonly names?: readonly string[];
  /** Where it is asked: once, or in each place of a kind. */
  readonly where: Where;
  readonly lines: readonly Line[];
}

/** A line and those that follow it. */
export const linesBelow = (lines: readonly Line[]): Line[] => lines.flatMap((line) => [line, ...linesBelow(line.then ?? [])]);

/** The permissions of a service's calls, each once. */
export const permissionsOf = ({ lines }: { readonly lines: readonly Line[] }): string[] => [
  ...new Set(linesBelow(lines).map(({ permission }) => permission)),
];

/** What is asked of services, for templates of roles. */
export const callsOf = (services: readonly Service<string>[]): ServiceCalls[] =>
  services.flatMap((of) => namesOf(of).map((service) => ({ service, permissions: permissionsOf(of) })));

export const namesOf = ({ service, names = [service] }: Pick<Service<string>, 'service' | 'names'>): readonly string[] => names;
