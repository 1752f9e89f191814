/** Sessions that are remembered; those that began first are forgotten first. */
const MOST = 20_000;

/** Who became whom, by the credentials that calls were answered with. */
export class SessionChains {
  private readonly chains = new Map<string, readonly string[]>();

  /** Notes who stands behind the sessions of a credential, the first first. */
  begin(key: string, chain: readonly string[]): void {
    this.chains.delete(key);
    this.chains.set(key, chain);
    if (this.chains.size > MOST) this.chains.delete(this.chains.keys().next().value!);
  }

  of(key: string | undefined): readonly string[] | undefined {
    return key === undefined ? undefined : this.chains.get(key);
  }
}
