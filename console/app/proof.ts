/** How the person proves again who they are, as the API says it. */
export interface Ways {
  readonly method: 'password' | 'sso';
  readonly second_factor: boolean;
  /** Where the password goes, or the page of the provider. */
  readonly url: string;
}

/** The ways that a refusal names; null where it is about something else. */
export function waysIn(detail: unknown): Ways | null {
  const { reauthenticate = null } = (detail ?? {}) as { reauthenticate?: Ways | null };
  return reauthenticate;
}

type Ask = (ways: Ways) => Promise<boolean>;
let ask: Ask | null = null;
let going: Promise<boolean> | null = null;

/** Says who asks the person. */
export function askBy(asking: Ask): void {
  ask = asking;
}

/** Asks the person to prove who they are; false where they leave it. Calls that want it meanwhile wait for the same proof. */
export function prove(ways: Ways): Promise<boolean> {
  going ??= (ask?.(ways) ?? Promise.resolve(false)).finally(() => {
    going = null;
  });
  return going;
}
