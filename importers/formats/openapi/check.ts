import type { Severity } from '../../../schema/model.js';
import type { ApiDescription, Operation } from './document.js';

/** A place where a description breaks a rule. */
export interface Fault {
  pointer: string;
  /** What stands there, in words. */
  detail: string;
}

/** A rule about descriptions of APIs, of the OWASP API Security Top 10 (2023). */
export interface Check {
  id: string;
  title: string;
  description: string;
  severity: Severity;
  guidance: string;
  /** `API2`, with its name. */
  owasp: keyof typeof OWASP;
  cwe: string;
}

/** A rule about a description as a whole. */
export interface ApiCheck extends Check {
  faults(api: ApiDescription): Fault[];
}

/** A rule about each operation. */
export interface OperationCheck extends Check {
  faults(operation: Operation, api: ApiDescription): Fault[];
}

export const OWASP = {
  API2: 'Broken Authentication',
  API3: 'Broken Object Property Level Authorization',
  API4: 'Unrestricted Resource Consumption',
  API5: 'Broken Function Level Authorization',
  API8: 'Security Misconfiguration',
  API9: 'Improper Inventory Management',
} as const;
