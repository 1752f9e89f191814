/** A log of CloudTrail of one call by a user. @param own more of the record */
export function trail(service: string, eventName: string, requestParameters: object, own: object = {}): object {
  const userIdentity = { type: 'IAMUser', arn: 'arn:aws:iam::111122223333:user/eve', userName: 'eve', accountId: '111122223333' };
  const at = {
    eventVersion: '1.09',
    eventID: 'e1',
    eventTime: '2030-01-01T10:00:00Z',
    awsRegion: 'eu-central-1',
    recipientAccountId: '111122223333',
  };
  return {
    Records: [
      { ...at, eventSource: `${service}.amazonaws.com`, eventName, userIdentity, requestParameters, userAgent: 'aws-cli/2', ...own },
    ],
  };
}

/** Cloud Audit Logs of one call by a person. */
export function gcp(methodName: string, serviceName: string, payload: object = {}): object {
  const authenticationInfo = { principalEmail: 'eve@x.example' };
  const protoPayload = {
    '@type': 'type.googleapis.com/google.cloud.audit.AuditLog',
    serviceName,
    methodName,
    authenticationInfo,
    ...payload,
  };
  const logName = 'projects/p/logs/cloudaudit.googleapis.com%2Factivity';
  return [
    {
      insertId: 'i1',
      logName,
      timestamp: '2030-01-01T10:00:00Z',
      resource: { type: 'project', labels: { project_id: 'p' } },
      protoPayload,
    },
  ];
}

/** An activity log of one call by a person. */
export function azure(action: string, properties: object = {}): object {
  return [
    {
      ...{
        eventDataId: 'd1',
        eventTimestamp: '2030-01-01T10:00:00Z',
        caller: 'eve@x.example',
        subscriptionId: '00000000-0000-4000-8000-000000000001',
      },
      ...{
        operationName: { value: action },
        authorization: { action, scope: '/subscriptions/x' },
        status: { value: 'Succeeded' },
        properties,
      },
      ...{ resourceId: '/subscriptions/00000000-0000-4000-8000-000000000001/x', category: { value: 'Administrative' } },
    },
  ];
}

/** An audit log of one request by a person. */
export function kubernetes(verb: string, objectRef: object, requestObject?: object): object[] {
  return [
    {
      ...{ kind: 'Event', apiVersion: 'audit.k8s.io/v1', level: 'RequestResponse', auditID: 'k1', stage: 'ResponseComplete', verb },
      ...{ requestURI: '/api/v1/x', user: { username: 'eve' }, sourceIPs: ['203.0.113.9'], objectRef, requestObject },
      ...{
        responseStatus: { code: 200 },
        requestReceivedTimestamp: '2030-01-01T10:00:00.000000Z',
        stageTimestamp: '2030-01-01T10:00:00.100000Z',
      },
    },
  ];
}
