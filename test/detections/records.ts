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

/** A second of a minute, for the n-th of some records. */
const second = (n: number): string => `2030-01-01T10:0${Math.floor(n / 60)}:${String(n % 60).padStart(2, '0')}Z`;

/** An audit event of Oracle Cloud of one call by a user. @param own more of its data */
export function oci(eventName: string, source: string, own: object = {}, n = 0): object[] {
  const identity = {
    ...{ principalName: 'eve', principalId: 'ocid1.user.oc1..eve', tenantId: 'ocid1.tenancy.oc1..acme' },
    ...{ ipAddress: '203.0.113.9', userAgent: 'Oracle-PythonCLI/3.37' },
  };
  const data = { eventName, compartmentName: 'acme', identity, request: { parameters: {} }, response: { status: '200' }, ...own };
  const eventType = `com.oraclecloud.${source}.${eventName}`;
  return [{ eventType, cloudEventsVersion: '0.1', eventTypeVersion: '2.0', source, eventId: `o${n}`, eventTime: second(n), data }];
}

/** An event of ActionTrail of one call by a user. @param own more of the event */
export function actionTrail(serviceName: string, eventName: string, requestParameters: object, own: object = {}, n = 0): object[] {
  const userIdentity = { type: 'ram-user', accountId: '1000000000000001', principalId: '20000000', userName: 'eve' };
  return [
    {
      ...{ eventId: `a${n}`, eventVersion: '1', eventTime: second(n), eventType: 'ApiCall', eventRW: 'Write', acsRegion: 'eu-central-1' },
      ...{ serviceName, eventName, eventSource: `${serviceName.toLowerCase()}.aliyuncs.com`, recipientAccountId: '1000000000000001' },
      ...{ userIdentity, sourceIpAddress: '203.0.113.9', userAgent: 'AlibabaCloud (Linux) aliyun-cli/3.0', requestParameters, ...own },
    },
  ];
}
