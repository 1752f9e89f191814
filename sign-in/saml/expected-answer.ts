import type { SamlRequestRow } from './records.js';
import type { ServiceProvider } from './service-provider.js';

/** A sign-in, and how this service provider is named at the address that its answer has come to: what the answer must be meant for. */
export type ExpectedAnswer = SamlRequestRow & ServiceProvider;
