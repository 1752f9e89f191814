import type { Provider } from '../../../schema/model.js';
import { parseCloudName, toProvider } from '../../normalize/cloud.js';
import { cloudPlace, type CloudPlace } from '../../normalize/cloud-resource.js';
import { BrokenRecord, objectAt, textAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportOptions } from '../../types.js';

/** The resource of what is written below it: `…/virtualMachines/web/providers/Microsoft.Security/assessments/…`. */
const BELOW = /^(.+?)\/providers\/Microsoft\.Security\//i;

/** The resource that an assessment is of: one of Azure, of a connected cloud, or a machine elsewhere. */
export function assessedPlace(record: JsonObject, properties: JsonObject, options: ImportOptions): CloudPlace {
  const details = objectAt(properties, 'resourceDetails');
  const id = textAt(record, 'id');
  const above = BELOW.exec(id ?? '')?.[1];
  const connected = textAt(details, 'nativeCloudUniqueIdentifier') ?? textAt(details, 'nativeResourceId');
  const uid =
    connected ??
    textAt(details, 'id') ??
    textAt(details, 'azureResourceId') ??
    textAt(details, 'resourceId') ??
    textAt(details, 'machineName') ??
    above;
  if (uid === undefined) throw new BrokenRecord('resourceDetails.id is missing');
  const source = textAt(details, 'source') ?? '';
  const provider: Provider = parseCloudName(uid)?.provider ?? toProvider(source) ?? 'azure';
  return cloudPlace(
    {
      uid,
      provider,
      type: textAt(details, 'resourceType'),
      name: textAt(details, 'resourceName') ?? textAt(details, 'machineName'),
      // what runs elsewhere belongs to the subscription that it is connected to
      account: parseCloudName(uid)?.account_id ?? textAt(details, 'accountId') ?? parseCloudName(id ?? '')?.account_id,
      region: textAt(details, 'region') ?? textAt(details, 'location'),
      metadata: source === '' || /^azure$/i.test(source) ? {} : { source },
    },
    options,
  );
}
