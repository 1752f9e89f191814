import type { Severity } from '../../../schema/model.js';

/** Plugins whose rules are about security. */
const SECURITY_PLUGINS =
  /^(?:security|security-node|no-secrets|no-unsanitized|no-wildcard-postmessage|xss|scanjs-rules|@microsoft\/sdl|@nosecone|sonarjs\/(?:no-hardcoded|insecure|weak|sql|xml|xpath|cookie|csp|csrf|disabled|file-uploads|hashing|no-unsafe|no-weak|pseudo-random|publicly|session|strict-transport|unverified))(?:\/|-|$)/;
/** Rules of ESLint itself and of React that keep text from being run or shown as it is. */
const SECURITY_RULES = new Set([
  'no-eval',
  'no-implied-eval',
  'no-new-func',
  'no-script-url',
  'no-extend-native',
  'no-proto',
  'no-caller',
  'no-control-regex',
  'require-atomic-updates',
  '@typescript-eslint/no-implied-eval',
  'react/no-danger',
  'react/no-danger-with-children',
  'react/jsx-no-script-url',
  'react/jsx-no-target-blank',
  'vue/no-v-html',
  'svelte/no-at-html-tags',
  'angular/no-inner-html',
]);

/**
 * The severity of a message: an error of a security rule is high and its warning medium, as other tools report them. The rest of what a
 * linter says is about style and mistakes, and ranks below.
 */
export function eslintSeverity(ruleId: string, level: number | undefined): Severity {
  const isError = level === 2;
  if (SECURITY_RULES.has(ruleId) || SECURITY_PLUGINS.test(ruleId)) return isError ? 'high' : 'medium';
  return isError ? 'low' : 'info';
}
