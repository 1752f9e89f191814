import { recordListFormat } from '../../normalize/record-list.js';
import { readMachineVulnerability } from './vulnerability.js';

/**
 * Vulnerabilities of machines as Microsoft Defender Vulnerability Management tells them: the lists of its API (`machinesVulnerabilities`,
 * `SoftwareVulnerabilitiesByMachine`) and the lines of its export to files. One vulnerability in one product on one machine is one record.
 */
export const format = recordListFormat({
  name: 'ms_defender',
  label: 'Microsoft Defender Vulnerability Management',
  engines: ['vulnerability'],
  detection: 'JSON records with `cveId` and `machineId` or `deviceId`, in `value`, in an array or as lines.',
  produce:
    'curl -H "Authorization: Bearer $TOKEN" https://api.security.microsoft.com/api/vulnerabilities/machinesVulnerabilities -o vulnerabilities.json',
  outsideClouds: true,
  expected: 'vulnerabilities of Microsoft Defender ({"value": [{"cveId": ..., "machineId": ...}]}, an array or lines)',
  lists: ['value'],
  isRecord: (outline, at) =>
    ['cveId', 'CveId'].some((name) => outline.has(at + name)) &&
    ['machineId', 'deviceId', 'DeviceId'].some((name) => outline.has(at + name)),
  markers: ['cveId', 'CveId', 'machineId', 'deviceId', 'DeviceId'],
  convert: (record, { position }, options, items) => readMachineVulnerability(record, position, options, items),
});
