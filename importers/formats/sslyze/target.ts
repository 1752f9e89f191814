import { hostPlace } from '../../normalize/host.js';
import type { ReportItems } from '../../normalize/observation.js';
import type { JsonObject } from '../../readers/json/fields.js';
import type { XmlElement } from '../../readers/xml/element.js';
import { attributeOf, childAt, childrenOf, numberOf, requireAttribute, textAt } from '../../readers/xml/fields.js';
import { BrokenRecord } from '../../readers/record.js';
import type { ImportItem, ImportOptions } from '../../types.js';
import { checkServer } from './checks.js';

/** What SSLyze's XML (before version 2) tells of one server, by the names that its JSON has for the same. */
export function readTarget(target: XmlElement, position: string, options: ImportOptions, items: ReportItems): ImportItem[] {
  const name = requireAttribute(target, 'host');
  const address = attributeOf(target, 'ip');
  const port = numberOf(target, 'port');
  if (port === undefined) throw new BrokenRecord('target/@port is no number');
  const place = hostPlace({ names: [name, address], addresses: [address] }, options);
  const results = (command: string): JsonObject | undefined => {
    const element = childAt(target, command);
    // a command that failed has an exception instead of what it found
    return element === undefined || attributeOf(element, 'exception') !== undefined ? undefined : resultOf(command, element);
  };
  // the report does not tell when it was made, so that nothing is said of certificates that have expired
  return checkServer(results, { ...place, artifact: `${place.resource_uid}:${port}` }, port, undefined, position, items);
}

function resultOf(command: string, element: XmlElement): JsonObject | undefined {
  if (/^(?:ssl|tls)v/.test(command)) return { accepted_cipher_list: suitesIn(element) };
  const flags = FLAGS[command];
  if (flags !== undefined)
    return Object.fromEntries(flags.map(([member, child, attribute]) => [member, truth(childAt(element, child), attribute)]));
  if (command === 'compression') return compressionOf(element);
  if (command === 'robot') return { robot_result: attributeOf(childAt(element, 'robotAttack'), 'resultEnum') };
  return command === 'certinfo' ? { certificate_deployments: [deploymentOf(element)] } : undefined;
}

/** Command -> member of the JSON, child element, attribute. */
const FLAGS: Readonly<Record<string, readonly (readonly [member: string, child: string, attribute: string])[]>> = {
  heartbleed: [['is_vulnerable_to_heartbleed', 'openSslHeartbleed', 'isVulnerable']],
  openssl_ccs: [['is_vulnerable_to_ccs_injection', 'openSslCcsInjection', 'isVulnerable']],
  reneg: [
    ['supports_secure_renegotiation', 'sessionRenegotiation', 'isSecure'],
    ['accepts_client_renegotiation', 'sessionRenegotiation', 'canBeClientInitiated'],
  ],
  fallback: [['supports_fallback_scsv', 'tlsFallbackScsv', 'isSupported']],
};

/** Python's words for truth; undefined for all else. */
function truth(element: XmlElement | undefined, attribute: string): boolean | undefined {
  const word = attributeOf(element, attribute)?.toLowerCase();
  return word === 'true' || word === 'false' ? word === 'true' : undefined;
}

/** The preferred suite is also one of those that are accepted, but not in every release. */
const suitesIn = (element: XmlElement): JsonObject[] =>
  ['preferredCipherSuite', 'acceptedCipherSuites'].flatMap((list) =>
    childrenOf(childAt(element, list), 'cipherSuite').map((suite) => ({
      name: attributeOf(suite, 'name'),
      key_size: numberOf(suite, 'keySize'),
      is_anonymous: truth(suite, 'anonymous'),
    })),
  );

function compressionOf(element: XmlElement): JsonObject | undefined {
  const method = childAt(element, 'compressionMethod');
  return method === undefined ? undefined : { supports_compression: truth(method, 'isSupported') };
}

function deploymentOf(element: XmlElement): JsonObject {
  const validation = childAt(element, 'certificateValidation');
  const chain = childAt(element, 'receivedCertificateChain');
  const leaf = childAt(chain, 'certificate');
  const key = childAt(leaf, 'publicKey');
  return {
    leaf_certificate_subject_matches_hostname: truth(childAt(validation, 'hostnameValidation'), 'certificateMatchesServerHostname'),
    received_chain_has_valid_order: truth(chain, 'isChainOrderValid'),
    verified_chain_has_sha1_signature: truth(childAt(validation, 'verifiedCertificateChain'), 'hasSha1SignedCertificate'),
    path_validation_results: childrenOf(validation, 'pathValidation').map((path) => ({
      was_validation_successful: attributeOf(path, 'validationResult') === 'ok',
      validation_error: attributeOf(path, 'validationResult'),
    })),
    received_certificate_chain: [
      {
        not_valid_after: textAt(leaf, 'notAfter'),
        subject: { rfc4514_string: textAt(leaf, 'subject') },
        public_key: { algorithm: attributeOf(key, 'algorithm'), key_size: numberOf(key, 'size') },
      },
    ],
  };
}
