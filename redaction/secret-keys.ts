import { flatten, isSecretValue } from './secret-forms.js';
/** What stands in the place of a redacted value; it passes the guard. */
export const REDACTED = '[REDACTED]';

/** How many paths `findSecretPaths` names at most. */
export const MAX_SECRET_PATHS = 20;

const words = (text: string): string[] => text.split(/\s+/).filter(Boolean);
const squash = (key: string): string => key.replaceAll('_', '');
const squashed = (keys: readonly string[]): Set<string> => new Set(keys.map(squash));

/** Keys whose value is secret material, in snake case. Case, separators and a trailing number, version or `_wo` do not matter. */
export const SECRET_KEYS: readonly string[] = words(`
  passwords passwd pwd passcode pass_word user_pass db_pass htpasswd hashed_password hashed_passwords password_salt protected_settings
  secret secret_string secret_binary secret_data secret_material secret_text access_key_secret ak_secret site_secret user_secret
  shared_secret consumer_secret api_secret token_secret radius_secret radius_server_secret server_secret oauth_secret
  jwt_secret cookie_secret session_secret totp_secret otp_secret hmac_secret mfa_secret signature_secret client_secrets account_secret
  service_principal_secret mfa_seed otp_seed totp_seed recovery_codes backup_codes
  api_keys storage_key storage_account_key shared_key shared_access_signature pre_shared_key psk
  primary_shared_key secondary_shared_key primary_master_key secondary_master_key primary_readonly_key secondary_readonly_key
  primary_readonly_master_key secondary_readonly_master_key authorization_key tls_key client_key client_key_data client_key_pem
  private_key_openssh private_key_pkcs8 private_key_pem_pkcs8 private_key_data private_keys private_key_content credential_key token_key
  disk_encryption_key_raw raw_key rsa_encrypted_key key_material symmetric_key_material plaintext_key
  token access_tokens authentication_token authorization_token id_token bearer service_account_token registration_token join_token
  bootstrap_token github_token gitlab_token slack_token bot_token vault_token npm_token user_token deploy_token webhook_token source_token
  csrf_token xsrf_token jwt_token secret_token tenant_token verification_token repository_token hec_token grafana_token obo_token
  credential credentials credential_ref credential_type credentials_json service_account_key service_account_json aws_credentials
  security_credentials connection_strings conn_str kubeconfig kube_config kube_config_raw kube_admin_config kube_admin_config_raw
  dockerconfigjson docker_config_json dockercfg session_cookie auth_cookie
`);

/** Names and endings of names that are secret (`password`, `db_password`, `stripeApiKey`), in snake case. */
export const SECRET_KEY_ENDINGS: readonly string[] = words(`
  password passwd passphrase password_hash secret_key secret_access_key client_secret webhook_secret signing_secret app_secret
  application_secret private_key private_key_pem api_key access_token refresh_token auth_token session_token bearer_token security_token
  oauth_token api_token sas_token personal_access_token connection_string account_key access_key shared_access_key preshared_key
`);

/** Further endings for names written as environment variables (`GITHUB_TOKEN`), where other keys would be look-alikes. */
export const SECRET_VARIABLE_ENDINGS: readonly string[] = words('token secret pass pwd credentials encryption_key signing_key');

/** Innocent look-alikes that the lists above would catch: cursors, switches, resource names. */
export const ALLOWED_KEYS: readonly string[] = words(`
  next_token page_token next_page_token continuation_token client_token client_request_token lock_token sync_token creation_token
  request_token idempotency_token upload_token resume_token restrict_create_platform_apikey aws_iam_access_key change_password
  user_change_password reset_password forgot_password no_password reset_api_key
`);
const ALLOWED_START = /^(?:has|is|min|max|reuse|unique|requires?|allow|disable|enable|secret_version_for)_/;

/** Keys that hold a secret only where the value looks like key material: a table's `primary_key` is a column's name. */
const MATERIAL_KEYS = squashed(words('primary_key secondary_key master_key encryption_key authorization proxy_authorization key1 key2'));

/** Keys that describe a secret without being it, in an object that stands under a secret key. */
const DESCRIPTIVE_KEYS = squashed(
  words(`name namespace kind type format description title id key keys path items mode optional read_only write_only username user login
  email host hostname port protocol endpoint server address database region location project tenant subscription in scheme flows scope
  scopes ref references min_length max_length pattern enum required nullable properties api_version api_group version versions
  status state rotation created updated expires expiry expiration enabled source sensitive no_echo severity category message file line
  algorithm provider position audience`),
);
const DESCRIPTIVE_ENDING =
  /(?:_|^)(?:ids?|arn|names?|at|on|date|time|type|status|state|uri|url|version|enabled|days|seconds|count|length|policy|ref|used|path|mode|from)$/;
const PAIR_NAMES = squashed(words('key name k variable parameter parameter_name field env_name header'));
const PAIR_VALUES = squashed(words('value val v values parameter_value content plaintext'));

const EXACT = squashed([...SECRET_KEYS, ...SECRET_KEY_ENDINGS]);
const ENDINGS = [...squashed(SECRET_KEY_ENDINGS)];
const ALLOWED = squashed(ALLOWED_KEYS);
const VARIABLE = new RegExp(`_(?:${SECRET_VARIABLE_ENDINGS.join('|')})(?:_?\\d+)?$`);

/** Letters of other alphabets that are drawn like ours. */
const TWINS = new Map([...'аеорсухіѕктοαı'].map((letter, i) => [letter, 'aeopcyxisktoai'.charAt(i)]));
const plain = (text: string): string => [...flatten(text)].map((letter) => TWINS.get(letter) ?? letter).join('');

/** What a key says of its value. */
export interface KeyTraits {
  /** The value is secret material. */
  secret: boolean;
  /** The value is secret where it looks like key material. */
  material: boolean;
  /** The value only describes the secret it stands in. */
  descriptive: boolean;
  /** The key is the name, or the value, of a `{Key, Value}` pair. */
  pairName: boolean;
  pairValue: boolean;
  /** The key is itself a secret. */
  leaks: boolean;
}

function readKey(key: string): KeyTraits {
  const ascii = /^[\x20-\x7e]*$/.test(key) ? key : plain(key);
  const snake = ascii
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '');
  const whole = squash(snake);
  const short = squash(snake.replace(/_(?:wo|value|plaintext|base64)$|_?v?\d{1,3}$/, ''));
  const variable = /^[A-Z][A-Z0-9]*_[A-Z0-9_]+$/.test(ascii) && VARIABLE.test(snake);
  const named = EXACT.has(whole) || EXACT.has(short) || ENDINGS.some((ending) => short.endsWith(ending)) || variable;
  return {
    secret: named && !ALLOWED.has(short) && !ALLOWED_START.test(snake),
    material: MATERIAL_KEYS.has(whole),
    descriptive: DESCRIPTIVE_KEYS.has(whole) || DESCRIPTIVE_ENDING.test(snake),
    pairName: PAIR_NAMES.has(whole),
    pairValue: PAIR_VALUES.has(whole),
    leaks: isSecretValue(key),
  };
}

const known = new Map<string, KeyTraits>();

/** What a key says of its value. Answers are remembered, in a bounded table. */
export function keyTraits(key: string): KeyTraits {
  const hit = known.get(key);
  if (hit !== undefined) return hit;
  const traits = readKey(key);
  if (known.size >= 10_000) known.clear();
  if (key.length <= 200) known.set(key, traits);
  return traits;
}

/** Whether a key names secret material, whatever its case, separators, zero-width and full-width characters. */
export function isSecretKey(key: string): boolean {
  return keyTraits(key).secret;
}

const INNOCENT =
  /^\s*$|^(?:true|false|yes|no|on|off|null|none|undefined|enabled|disabled|required|optional|[<[(]?(?:redacted|masked|hidden|sensitive(?: value)?)[>\])]?|\*{3,})$/i;
const REFERENCE =
  /^(?:\$\{[a-z_][\w-]*(?:\.[\w*-]+|\[[\w"*.-]{1,64}\])+\}|\$\([A-Z_]\w*\)|\{\{\s*\.?[\w.:/-]+\s*\}\}|arn:aws[a-z-]*:[a-z0-9-]+:\S*|@Microsoft\.KeyVault\([^)]*\)|projects\/[\w.:-]+\/secrets\/[\w-]+(?:\/versions\/\w+)?)$/;

/** Whether a value under a secret key gives nothing away: empty, a switch, already redacted, or a reference to where the secret lies. */
export function isInnocent(value: string): boolean {
  return value.length <= 2_048 && (INNOCENT.test(value) || REFERENCE.test(value));
}

const looksLikeMaterial = (text: string): boolean =>
  /^(?:bearer|basic|digest|token|apikey|aws4-\S+)\s+\S+/i.test(text) ||
  (/^[\w+/=.-]{24,512}$/.test(text) && /\d/.test(text) && /[a-z]/.test(text) && /[A-Z]/.test(text));

/** Whether a leaf is secret by its key, or by standing `under` a secret key. Its own form is not looked at. */
export function isSecretLeaf(value: string | number, traits: KeyTraits, under: boolean): boolean {
  if (typeof value === 'number') return traits.secret;
  if (traits.secret || (under && !traits.descriptive)) return !isInnocent(value);
  return traits.material && looksLikeMaterial(value);
}

/** Whether what stands in a container is under a secret key. */
export function isUnder(traits: KeyTraits, under: boolean): boolean {
  return traits.secret || (under && !traits.descriptive);
}

/** Traits of the value of a `{Key, Value}` pair with a secret name, and of a value without a key. */
export const SECRET_TRAITS: KeyTraits = readKey('password');
export const NO_TRAITS: KeyTraits = readKey('');

/** Whether an object is a pair such as `{Key: 'password', Value: ...}` or an environment variable `{name, value}` with a secret name. */
export function isSecretPair(object: Readonly<Record<string, unknown>>, keys: readonly string[]): boolean {
  if (keys.length < 2 || keys.length > 40) return false;
  let named = false;
  let valued = false;
  for (const key of keys) {
    const traits = keyTraits(key);
    if (traits.pairValue) valued = true;
    else if (traits.pairName && !named) {
      const name = object[key];
      named = typeof name === 'string' && name.length <= 200 && isSecretKey(name);
    }
  }
  return named && valued;
}

/** The value inside a text that is JSON, or undefined. */
export function parseNested(text: string): unknown {
  const inner = text.trim();
  if (inner.length < 8 || !/^[{["]/.test(inner) || !/[}\]"]$/.test(inner)) return undefined;
  try {
    return JSON.parse(inner);
  } catch {
    return undefined;
  }
}

/** Entries `"key": "value"` in text that does not parse: quote, key, value. */
export const LOOSE_ENTRY = /(?<!\\)(\\{0,8}["'])([\w .-]{2,60})\1\s{0,4}[:=]\s{0,4}\1([^"'\\]{1,400})/g;

const holdsLooseSecret = (text: string): boolean =>
  /["']\s{0,4}[:=]/.test(text) &&
  [...text.matchAll(LOOSE_ENTRY)].some(([, , key = '', value = '']) => isSecretLeaf(value, keyTraits(key), false));

interface Frame {
  container: object;
  under: boolean;
  parent: Frame | null;
  key: string | number;
}

function pathOf(frame: Frame | null, key: string | number): string {
  const steps = [key];
  for (let at = frame; at !== null && at.parent !== null; at = at.parent) steps.push(at.key);
  const path = steps
    .reverse()
    .map((step) =>
      typeof step === 'number' ? `[${step}]` : `.${keyTraits(step).leaks ? REDACTED : step.slice(0, 80).replace(/\p{C}/gu, '')}`,
    )
    .join('');
  return path.replace(/^\./, '').replace(/^$/, '$');
}

/**
 * The paths of secret material in a payload, such as `evidence.items[2].aws_secret_access_key`; never a value. Looks into arrays,
 * `{Key, Value}` pairs and JSON inside strings, at any depth without recursion. At most MAX_SECRET_PATHS.
 */
export function findSecretPaths(payload: unknown): string[] {
  const found = new Set<string>();
  const stack: Frame[] = [];
  const visit = (value: unknown, traits: KeyTraits, under: boolean, parent: Frame | null, key: string | number): void => {
    if (typeof value === 'string') {
      if (isSecretLeaf(value, traits, under) || isSecretValue(value)) found.add(pathOf(parent, key));
      else {
        const inner = value.length < 8 ? undefined : parseNested(value);
        if (inner !== undefined) visit(inner, traits, under, parent, key);
        else if (holdsLooseSecret(value)) found.add(pathOf(parent, key));
      }
    } else if (typeof value === 'number') {
      if (isSecretLeaf(value, traits, under)) found.add(pathOf(parent, key));
    } else if (typeof value === 'object' && value !== null) {
      stack.push({ container: value, under: isUnder(traits, under), parent, key });
    }
  };
  visit(payload, NO_TRAITS, false, null, '');
  for (let frame = stack.pop(); frame !== undefined && found.size < MAX_SECRET_PATHS; frame = stack.pop()) {
    const { container, under } = frame;
    const first = stack.length;
    if (Array.isArray(container)) {
      const traits = under ? SECRET_TRAITS : NO_TRAITS;
      for (let i = 0; i < container.length; i++) visit(container[i], traits, under, frame, i);
    } else {
      const object = container as Record<string, unknown>;
      const keys = Object.keys(object);
      const pair = isSecretPair(object, keys);
      for (const key of keys) {
        const traits = keyTraits(key);
        if (traits.leaks) found.add(pathOf(frame, key));
        visit(object[key], pair && traits.pairValue ? SECRET_TRAITS : traits, under, frame, key);
      }
    }
    // The first container of this one is taken next: paths come in the payload's order, roughly.
    for (let low = first, high = stack.length - 1; low < high; low++, high--) {
      [stack[low], stack[high]] = [stack[high] as Frame, stack[low] as Frame];
    }
  }
  return [...found].slice(0, MAX_SECRET_PATHS);
}
