import type { RestClient } from '../rest-client.js';
import type { Target } from '../types.js';
import { AZURE_SERVICES } from './services.js';

/** What one collection works with. */
export interface AzureWork {
  readonly client: RestClient;
  /** `/subscriptions/…` */
  readonly subscription: string;
  readonly target: Target;
  readonly mayRead: (type: string) => boolean;
  readonly signal: AbortSignal;
  /** Resource types of which all is told, in small letters: parts of the account. */
  readonly whole: Set<string>;
}

export const partOfType = (type: string): string => type.toLowerCase();

export const servicesIn = ({ services }: Target) =>
  AZURE_SERVICES.filter(({ service }) => services.length === 0 || services.includes(service));

/** What the graph has told of a thing, as far as lists below it need it. */
export interface Thing {
  readonly id: string;
  readonly type: string;
  readonly kind: string;
  readonly location: string;
}
