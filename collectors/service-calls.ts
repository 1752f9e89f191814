/** What is asked of one service of a provider, in the provider's own names of permissions; reads alone, and of configurations, never of what is stored. */
export interface ServiceCalls {
  readonly service: string;
  /** Each stands for one call or one kind of resource. What every caller may do without a permission is left out. */
  readonly permissions: readonly string[];
}
