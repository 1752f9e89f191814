import type { CallGroup } from '../lines.js';

export const SAGEMAKER: CallGroup = {
  service: 'sagemaker',
  command: 'sagemaker',
  prefix: 'sagemaker',
  load: () => import('@aws-sdk/client-sagemaker'),
  client: 'SageMakerClient',
  calls: [
    {
      call: 'ListNotebookInstances',
      page: 'NextToken',
      quiet: { MaxResults: 100 },
      late: true,
      each: 'NotebookInstances',
      then: [{ call: 'DescribeNotebookInstance', input: { NotebookInstanceName: '{NotebookInstanceName}' } }],
    },
    { call: 'ListWorkforces', page: 'NextToken' },
    {
      call: 'ListFlowDefinitions',
      page: 'NextToken',
      each: 'FlowDefinitionSummaries',
      then: [{ call: 'DescribeFlowDefinition', input: { FlowDefinitionName: '{FlowDefinitionName}' } }],
    },
  ],
};

export const BEDROCK: CallGroup = {
  service: 'bedrock',
  command: 'bedrock',
  prefix: 'bedrock',
  load: () => import('@aws-sdk/client-bedrock'),
  client: 'BedrockClient',
  calls: [
    {
      call: 'ListGuardrails',
      page: 'nextToken',
      late: true,
      each: 'guardrails',
      then: [{ call: 'GetGuardrail', input: { guardrailIdentifier: '{id}' } }],
    },
  ],
};
