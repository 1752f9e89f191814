import type { ServiceCalls } from '../../../collectors/service-calls.js';

/** What a template is made of. */
export interface TemplateFacts {
  /** All permissions, each once, in order. */
  readonly permissions: readonly string[];
  readonly services: readonly ServiceCalls[];
  /** Empty where the provider knows no such thing. */
  readonly externalId: string;
  /** AWS: whom roles trust; null where the operator has not said. */
  readonly principal: string | null;
}
