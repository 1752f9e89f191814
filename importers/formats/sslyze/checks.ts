import type { Severity } from '../../../schema/model.js';
import { hostItems } from '../../normalize/host-finding.js';
import type { PlaceDraft, ReportItems } from '../../normalize/observation.js';
import { compact, objectAt, textAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportItem } from '../../types.js';
import { CERTIFICATE_CHECKS } from './certificate.js';
import { suitesOf, VERSIONS, weakSuites, type TlsVersion } from './suites.js';

type Results = (name: string) => JsonObject | undefined;

/** What a check says: whether it fails, and by what; undefined where the scan did not look. */
export type Verdict = { fails: boolean; detail?: string | undefined; evidence?: Record<string, unknown> } | undefined;

/** One thing that is right or wrong about a server. */
export interface TlsCheck {
  id: string;
  title: string;
  severity: Severity;
  guidance: string;
  cves?: readonly string[];
  cwe: string;
  judge(results: Results, scannedAt: Date | undefined): Verdict;
}

/** A check of one truth value of one command, by the names that releases have for both; `when` is the value that fails. */
const flag =
  (commands: readonly string[], members: readonly string[], when: boolean) =>
  (results: Results): Verdict => {
    for (const command of commands) {
      const result = results(command);
      for (const member of members) {
        const value = result?.[member];
        if (typeof value === 'boolean') return { fails: value === when };
      }
    }
    return undefined;
  };

const offered = (version: TlsVersion): TlsCheck => ({
  id: `${version.id}-offered`,
  title: `The server offers ${version.name}`,
  severity: version.severity ?? 'info',
  guidance: `Turn off ${version.name}; offer TLS 1.2 and 1.3 alone.`,
  cwe: 'CWE-327',
  judge: (results) => {
    const suites = suitesOf(version, results);
    return suites && { fails: suites.length > 0, evidence: { protocol: version.name } };
  },
});

const CHECKS: readonly TlsCheck[] = [
  ...VERSIONS.filter(({ severity }) => severity !== undefined).map(offered),
  {
    id: 'no-modern-tls',
    title: 'The server offers neither TLS 1.2 nor TLS 1.3',
    severity: 'high',
    guidance: 'Offer TLS 1.2 and 1.3.',
    cwe: 'CWE-327',
    judge: (results) => {
      const modern = VERSIONS.filter(({ severity }) => severity === undefined).map((version) => suitesOf(version, results));
      return modern.some((suites) => suites === undefined) ? undefined : { fails: modern.every((suites) => suites?.length === 0) };
    },
  },
  {
    id: 'weak-cipher-suites',
    title: 'The server accepts weak cipher suites',
    severity: 'medium',
    guidance: 'Accept suites with AES-GCM or ChaCha20-Poly1305 and ephemeral keys alone.',
    cwe: 'CWE-327',
    judge: (results) => {
      const weak = weakSuites(results);
      return (
        weak && { fails: weak.length > 0, detail: weak.join(', ') || undefined, evidence: { cipher: weak[0], ciphers: weak.slice(0, 50) } }
      );
    },
  },
  {
    id: 'heartbleed',
    title: 'The server is vulnerable to Heartbleed',
    severity: 'critical',
    guidance: 'Update OpenSSL, then replace keys and certificates.',
    cves: ['CVE-2014-0160'],
    cwe: 'CWE-125',
    judge: flag(['heartbleed'], ['is_vulnerable_to_heartbleed'], true),
  },
  {
    id: 'openssl-ccs-injection',
    title: 'The server is vulnerable to the injection of ChangeCipherSpec (OpenSSL)',
    severity: 'high',
    guidance: 'Update OpenSSL.',
    cves: ['CVE-2014-0224'],
    cwe: 'CWE-326',
    judge: flag(['openssl_ccs_injection', 'openssl_ccs'], ['is_vulnerable_to_ccs_injection'], true),
  },
  {
    id: 'robot',
    title: 'The server is vulnerable to ROBOT',
    severity: 'high',
    guidance: 'Update the TLS library and turn off cipher suites with RSA key exchange.',
    cwe: 'CWE-203',
    judge: (results) => {
      const result = textAt(results('robot'), 'robot_result') ?? textAt(results('robot'), 'robot_result_enum');
      if (result === undefined || !/^(?:NOT_)?VULNERABLE/.test(result)) return undefined;
      return { fails: result.startsWith('VULNERABLE'), detail: result };
    },
  },
  {
    id: 'insecure-renegotiation',
    title: 'The server does not support secure renegotiation',
    severity: 'medium',
    guidance: 'Update the TLS library.',
    cves: ['CVE-2009-3555'],
    cwe: 'CWE-295',
    judge: flag(['session_renegotiation', 'reneg'], ['supports_secure_renegotiation'], false),
  },
  {
    id: 'client-renegotiation',
    title: 'Clients may have the server renegotiate as often as they like',
    severity: 'low',
    guidance: 'Refuse renegotiation that clients ask for.',
    cves: ['CVE-2011-1473'],
    cwe: 'CWE-400',
    judge: flag(['session_renegotiation', 'reneg'], ['is_vulnerable_to_client_renegotiation_dos', 'accepts_client_renegotiation'], true),
  },
  {
    id: 'tls-compression',
    title: 'The server compresses TLS (CRIME)',
    severity: 'medium',
    guidance: 'Turn off compression of TLS.',
    cves: ['CVE-2012-4929'],
    cwe: 'CWE-310',
    judge: (results) => {
      const result = results('tls_compression') ?? results('compression');
      const compresses = result?.['supports_compression'];
      if (typeof compresses === 'boolean') return { fails: compresses };
      return result !== undefined && 'compression_name' in result ? { fails: typeof result['compression_name'] === 'string' } : undefined;
    },
  },
  {
    id: 'no-fallback-scsv',
    title: 'The server does not prevent that the protocol is downgraded (TLS_FALLBACK_SCSV)',
    severity: 'low',
    guidance: 'Update the TLS library.',
    cwe: 'CWE-757',
    judge: flag(['tls_fallback_scsv', 'fallback'], ['supports_fallback_scsv'], false),
  },
  {
    id: 'no-hsts',
    title: 'The server sends no Strict-Transport-Security header',
    severity: 'low',
    guidance: 'Send Strict-Transport-Security with a max-age of a year.',
    cwe: 'CWE-319',
    judge: (results) => {
      const headers = results('http_headers');
      const error = headers?.['http_error_trace'];
      if (headers === undefined || !('strict_transport_security_header' in headers) || typeof error === 'string') return undefined;
      return { fails: objectAt(headers, 'strict_transport_security_header') === undefined };
    },
  },
  ...CERTIFICATE_CHECKS,
];

/** The items of all checks that the scan made of one server. */
export function checkServer(
  results: Results,
  place: PlaceDraft,
  port: number,
  scannedAt: Date | undefined,
  position: string,
  items: ReportItems,
): ImportItem[] {
  return CHECKS.flatMap((check) => {
    const verdict = check.judge(results, scannedAt);
    if (verdict === undefined) return [];
    return hostItems(
      {
        source: 'sslyze',
        engine: 'encryption',
        ruleId: check.id,
        title: check.title,
        severity: check.severity,
        result: verdict.fails ? 'FAIL' : 'PASS',
        place,
        discriminator: String(port),
        detail: verdict.detail,
        guidance: check.guidance,
        cwes: [check.cwe],
        urls: check.cves?.map((cve) => `https://nvd.nist.gov/vuln/detail/${cve}`) ?? [],
        evidence: compact({
          host: place.resource_uid,
          port: Number.isInteger(port) ? port : undefined,
          cves: check.cves,
          ...verdict.evidence,
        }),
        position,
      },
      items,
    );
  });
}
