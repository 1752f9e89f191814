import { compact, numberAt, objectAt, objectsAt, textAt, textsAt, type JsonObject } from '../../readers/json/fields.js';

/** Members of `service.action`, of which a finding has one. */
const ACTIONS = [
  'awsApiCallAction',
  'networkConnectionAction',
  'portProbeAction',
  'dnsRequestAction',
  'kubernetesApiCallAction',
  'rdsLoginAttemptAction',
] as const;

/** What was done, by whom and from where, as the evidence of a detection names it. */
export function actionEvidence(finding: JsonObject): Record<string, unknown> {
  const service = objectAt(finding, 'service');
  const action = objectAt(service, 'action');
  const acts = ACTIONS.map((name) => objectAt(action, name)).filter((act) => act !== undefined);
  const probe = objectsAt(objectAt(action, 'portProbeAction'), 'portProbeDetails')[0];
  const remotes = [...acts, ...(probe === undefined ? [] : [probe])]
    .map((act) => objectAt(act, 'remoteIpDetails'))
    .filter((remote) => remote !== undefined);
  const first = <T>(read: (from: JsonObject) => T | undefined, of: readonly JsonObject[] = acts): T | undefined => {
    for (const one of of) {
      const found = read(one);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const key = objectAt(objectAt(finding, 'resource'), 'accessKeyDetails');
  const network = objectAt(action, 'networkConnectionAction') ?? probe;
  const threats = objectsAt(objectAt(service, 'evidence'), 'threatIntelligenceDetails');
  return compact({
    action: textAt(action, 'actionType'),
    event_name: first((act) => textAt(act, 'api') ?? textAt(act, 'verb')),
    event_source: textAt(objectAt(action, 'awsApiCallAction'), 'serviceName'),
    error_code: textAt(objectAt(action, 'awsApiCallAction'), 'errorCode'),
    user_agent: first((act) => textAt(act, 'userAgent')),
    principal: textAt(key, 'userName') ?? textAt(key, 'principalId') ?? kubernetesUser(finding) ?? loginUser(action),
    principal_type: textAt(key, 'userType'),
    source_ip: first((remote) => textAt(remote, 'ipAddressV4') ?? textAt(remote, 'ipAddressV6'), remotes),
    source_country: first((remote) => textAt(objectAt(remote, 'country'), 'countryName'), remotes),
    source_organization: first((remote) => textAt(objectAt(remote, 'organization'), 'org'), remotes),
    domain: first((act) => textAt(act, 'domain') ?? textAt(objectAt(act, 'domainDetails'), 'domain')),
    protocol: first((act) => textAt(act, 'protocol')),
    direction: textAt(network, 'connectionDirection'),
    local_port: numberAt(objectAt(network, 'localPortDetails'), 'port'),
    remote_port: numberAt(objectAt(network, 'remotePortDetails'), 'port'),
    request_uri: textAt(objectAt(action, 'kubernetesApiCallAction'), 'requestUri'),
    threat_lists: [...new Set(threats.flatMap((threat) => textAt(threat, 'threatListName') ?? []))],
    threats: [...new Set([...threats.flatMap((threat) => textsAt(threat, 'threatNames')), ...malwareOf(service)])].slice(0, 20),
    process: textAt(objectAt(objectAt(service, 'runtimeDetails'), 'process'), 'executablePath'),
    file_hashes: [...new Set(hashesIn(service, 0))].slice(0, 20),
  });
}

function kubernetesUser(finding: JsonObject): string | undefined {
  return textAt(objectAt(objectAt(objectAt(finding, 'resource'), 'kubernetesDetails'), 'kubernetesUserDetails'), 'username');
}

function loginUser(action: JsonObject | undefined): string | undefined {
  return textAt(objectsAt(objectAt(action, 'rdsLoginAttemptAction'), 'loginAttributes')[0], 'user');
}

/** Members that hold digests of files: of processes at run time, of the process that changed something, of files in which malware was found. */
const HASH = /sha256$|^hash$/i;
const DEEPEST = 10;

function* hashesIn(value: unknown, depth: number): Generator<string> {
  if (typeof value !== 'object' || value === null || depth === DEEPEST) return;
  for (const [name, one] of Object.entries(value)) {
    if (typeof one === 'string' && HASH.test(name)) yield one;
    else yield* hashesIn(one, depth + 1);
  }
}

/** Names of what a scan for malware found. */
function malwareOf(service: JsonObject | undefined): string[] {
  const volumes = objectAt(objectAt(objectAt(service, 'ebsVolumeScanDetails'), 'scanDetections'), 'threatDetectedByName');
  const objects = objectAt(service, 'malwareScanDetails');
  return [...objectsAt(volumes, 'threatNames'), ...objectsAt(objects, 'threats')].flatMap((threat) => textAt(threat, 'name') ?? []);
}
