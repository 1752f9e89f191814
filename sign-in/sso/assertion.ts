/** What a verified answer of an identity provider says of a person, whatever the protocol. */
export interface SsoAssertion {
  readonly tenant_id: string;
  /** Entity id or issuer, as verified. */
  readonly provider: string;
  /** NameID or `sub`. */
  readonly subject: string;
  /** Lower case. */
  readonly email: string;
  readonly name: string;
  readonly groups: readonly string[];
  /** Whether the provider says that a second factor was shown (AuthnContext, `amr`). */
  readonly second_factor: boolean;
  /** When the person proved to the provider who they are; null where it does not say. */
  readonly authenticated_at: Date | null;
}
