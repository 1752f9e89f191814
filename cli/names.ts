/** Commands that need no server; standalone.ts says what each of them loads. */
export const STANDALONE_NAMES = ['check', 'rule', 'completion'] as const;

/** Commands of a deployment; commands.ts says what each of them loads. */
export const DEPLOYMENT_NAMES = [
  'all',
  'gateway',
  'engines',
  'worker',
  'import',
  'agent',
  'audit',
  'tenant',
  'invite',
  'staff',
  'domain',
  'keys',
  'mfa',
  'backup',
  'restore',
  'feeds',
  'demo',
] as const;
