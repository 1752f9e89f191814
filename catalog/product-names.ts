import type { Provider } from '../schema/model.js';

// How products are written in texts for people: as their makers write them on the day below. A word of a resource type's name that is not here is
// written in lower case.

/** The day on which the spellings and names were last compared with what the makers write; a test fails a year later. */
export const COMPARED = '2026-11-27';

/** Words that are not written in lower case. */
export const SPELLINGS = `AAD ACK ACL ACM ACME ActionTrail AD ADB ADE ADM AI AKS ALB AlloyDB AMI API Apigee APM APNS AppConfig AppFlow AppStream AppSync ARM ARN
  ARNs ASG ASM Athena AWS AZ Bedrock BGP BigQuery Bigtable BYOK CA CAK Cassandra CBR CDN CEN CI CIDR CIS CKN ClickHouse CloudFormation
  CloudFront CloudSearch CloudSSO CloudTrail CloudWatch CLR CMK CodeArtifact CodeBuild CodeCommit CodeDeploy CodePipeline Cognito CORS COS
  CPU CRN CSI CTI Databricks Datadog DataSync DataZone DAX DB DDoS Detective DHCP Dialogflow DICOM DKIM DLM DLP DMS DNAT DNS DNSSEC DocDB
  DRG DRTM DTS DX DynamoDB EBS EC2 ECI ECR ECS EFS EIP EKS ElastiCache Elasticsearch ELB EMR ENI ESA EventBridge EventGrid Exadata FC FHIR
  FIDO Firehose FMS FSx FTP GameLift GCM GCP Gemini GitLab GKE Glacier Glue GPDB GPU Grafana GraphQL gRPC GuardDuty Hadoop HANA HBase HBR
  HCI HDInsight HEC HL7 HMAC HPC HPCS HSM HSTS HTTP HTTP2 HTTP3 HTTPS HVCI IAM IAP IBM ID IDS IKE IMDS IMDSv2 IoT IP IPAM IPC IPsec IPv4
  IPv6 iSCSI JAR JDBC Jira JSON JWT Kafka KDC Kendra Keyspaces Kinesis KMIP KMS Kubernetes Kusto Lambda LB LDAP LDAPS Lex Lightsail
  Lindorm Linux Logstash MACsec MariaDB MaxCompute MCP MemoryDB MFA MIME MLflow MongoDB MQ MQTT MSI MSK MSSQL mTLS MWAA MySQL NACL Nacos
  NAS NAT Neptune NetApp NFS NGINX NIC NLB NoSQL NSG NTLM OAuth OCI OIDC OKE OMS ONTAP OpenAI OpenID OpenSearch OpenShift OpenZFS Oracle
  OS OSS OTP OTS PAB PDB PFS PFX PHP PII PIM PIN Pinpoint PKI PolarDB POP3 PostgreSQL Prometheus PSK Purview QLDB QuickSight RADIUS RAI
  RAM RBAC RC4 RDP RDS Redis Redshift RocketMQ ROS RPC RSA S3 SAE SageMaker SAML SAP SAS SASL SCC SCIM SCM SDDC SDK SES SFN SFTP SG SHA
  SID SignalR SIP SKU SLB SLS SMB SMS SMTP SNAT SNI Snowflake SNS Spanner SPIFFE SQL SQS SSD SSH SSL SSM SSO STS SUID SVM SWF Synapse Tair
  TDE Tekton TLS TOTP TPU Transfer TSIG TTL UDP UEFI UEM URI URL USB UUID VCN Vertex VHD VLAN VLANs VM VMware VNet VNIC VPC VPN vTPM WAF
  WAFv2 WAFv3 WDAC WebPubSub Windows WorkSpaces WSFC X509 XFF XML XSS YAML Yundun`;

/** Words that stand for others. */
export const WORD_NAMES: Readonly<Record<string, string>> = table(`
  is=VPC, ssoadmin=IAM Identity Center, acls=ACLs, cidrs=CIDRs, ips=IPs, urls=URLs, accessanalyzer=IAM Access Analyzer, acmpca=ACM PCA,
  apigateway=API Gateway, apigatewayv2=API Gateway, apprunner=App Runner, auditmanager=Audit Manager, bedrockagent=Bedrock agent,
  bedrockagentcore=Bedrock AgentCore, cosmosdb=Cosmos DB, ecrpublic=ECR Public, emrcontainers=EMR on EKS, emrserverless=EMR Serverless,
  eventhub=Event Hubs, globalaccelerator=Global Accelerator, imagebuilder=Image Builder, inspector2=Inspector, iothub=IoT Hub,
  k8s=Kubernetes, kinesisanalyticsv2=Kinesis Analytics, lakeformation=Lake Formation, macie2=Macie, mskconnect=MSK Connect,
  neptunegraph=Neptune Analytics, networkfirewall=Network Firewall, oauth2=OAuth 2.0, opensearchserverless=OpenSearch Serverless,
  powerbi=Power BI, pubsub=Pub/Sub, redhat=Red Hat, redshiftserverless=Redshift Serverless, resourceexplorer2=Resource Explorer,
  rolesanywhere=IAM Roles Anywhere, route53=Route 53, route53domains=Route 53 Domains, s3control=S3 Control, s3tables=S3 Tables,
  s3vectors=S3 Vectors, secretsmanager=Secrets Manager, securityhub=Security Hub, securitylake=Security Lake, servicecatalog=Service
  Catalog, servicebus=Service Bus, sesv2=SES, ssmincidents=SSM Incident Manager, storagegateway=Storage Gateway,
  timestreamwrite=Timestream, verifiedaccess=Verified Access, verifiedpermissions=Verified Permissions, vmwareengine=VMware Engine,
  vpclattice=VPC Lattice, wafregional=WAF Regional, workspacesweb=WorkSpaces Web, xray=X-Ray
`);

/** Last words of types' names that stand for one resource all the same. */
export const PLURALS = new Set(
  `accounts addons addresses controls credentials cryptounits defaults entries features instances levels nodes notifications options overrides
  permissions policies ports preferences properties rings rules servers settings`.split(/\s+/),
);

/** Beginnings of resource types, without the provider's prefix, and the product that they stand for: the longest that fits counts. */
export const PRODUCT_NAMES: Readonly<Record<Provider, Readonly<Record<string, string>>>> = {
  aws: table(`
    amplify=Amplify, api_gateway=API Gateway, appautoscaling=Application Auto Scaling, appfabric=AppFabric, appmesh=App Mesh,
    autoscaling=Auto Scaling, backup=Backup, batch=Batch, chatbot=Chatbot, chime=Chime, cleanrooms=Clean Rooms, cloud9=Cloud9,
    cloudwatch_event=EventBridge, codebuild_report=CodeBuild report, codeconnections=CodeConnections, codegurureviewer=CodeGuru Reviewer,
    codestarnotifications=CodeStar notification, comprehend=Comprehend, config=Config, connect=Connect, controltower=Control Tower,
    customerprofiles=Customer Profiles, dataexchange=Data Exchange, db=RDS DB, detective=Detective, devicefarm=Device Farm,
    devopsguru=DevOps Guru, directory_service=Directory Service, docdb=DocumentDB, docdbelastic=DocumentDB elastic, drs=Elastic Disaster
    Recovery, dsql=Aurora DSQL, dx=Direct Connect, ec2_transit_gateway=transit gateway, elastic_beanstalk=Elastic Beanstalk,
    elastictranscoder=Elastic Transcoder, elb=Classic Load Balancer, finspace=FinSpace, grafana=Managed Grafana, lambda=Lambda, lb=load
    balancer, load_balancer=Classic Load Balancer, location=Location Service, m2=Mainframe Modernization, media_store=MediaStore,
    medialive=MediaLive, nat_gateway=NAT gateway, oam=CloudWatch Observability, observabilityadmin=CloudWatch Observability, odb=Oracle
    Database@AWS, organizations=Organizations, organizations_organization=Organizations organization, osis=OpenSearch Ingestion,
    paymentcryptography=Payment Cryptography, pipes=EventBridge Pipes, prometheus=Managed Prometheus, qbusiness=Q Business, rbin=Recycle
    Bin, scheduler=EventBridge Scheduler, schemas=EventBridge Schemas, serverlessapplicationrepository=Serverless Application Repository,
    service_discovery=Cloud Map, sfn=Step Functions, shield=Shield, signer=Signer, synthetics=CloudWatch Synthetics,
    timestreaminfluxdb=Timestream for InfluxDB, vpc_ipam=VPC IPAM
  `),
  azure: table(`
    active_directory=Active Directory, advanced_threat_protection=advanced threat protection, ai_foundry=AI Foundry, ai_services=AI
    Services account, analysis_services=Analysis Services, api_management=API Management, app_configuration=App Configuration,
    app_service=App Service, application_gateway=Application Gateway, application_insights=Application Insights component, arc=Arc,
    attestation=Attestation, automanage=Automanage, automation=Automation, batch=Batch, bot_service=Bot Service, cdn_frontdoor=Front Door,
    chaos_studio=Chaos Studio, cognitive=Cognitive Services, communication_service=Communication Service, container_app=Container App,
    container_group=Container Instances group, container_registry=Container Registry, dashboard_grafana=Managed Grafana, data_factory=Data
    Factory, data_share=Data Share, dev_center=Dev Center, dev_test=DevTest Labs, digital_twins=Digital Twins,
    digital_twins_endpoint=Digital Twins endpoint, dynatrace=Dynatrace, elastic_cloud=Elastic Cloud, elastic_san=Elastic SAN,
    eventgrid=Event Grid, express_route=ExpressRoute, fluid_relay=Fluid Relay, frontdoor=Front Door, function_app=Functions app,
    healthbot=Health Bot, healthcare=Health Data Services, hpc_cache=HPC Cache, iotcentral=IoT Central, key_vault=Key Vault, kusto=Data
    Explorer, lb=load balancer, lighthouse=Lighthouse, linux_function_app=Linux function app, load_test=Load Testing, log_analytics=Log
    Analytics, logic_app=Logic Apps, machine_learning=Machine Learning, managed_lustre=Managed Lustre, maps=Maps, monitor=Monitor,
    mssql=SQL, mysql=MySQL, network_watcher=Network Watcher, new_relic=New Relic, notification_hub=Notification Hubs hub, palo_alto=Palo
    Alto, postgresql=PostgreSQL, private_link=Private Link, qumulo=Qumulo, recovery_services=Recovery Services, relay=Relay,
    security_center=Defender for Cloud, sentinel=Sentinel, service_fabric=Service Fabric, site_recovery=Site Recovery, spring_cloud=Spring
    Cloud, stack_hci=Stack HCI, static_web_app=Static Web Apps app, storage_mover=Storage Mover, storage_sync=Storage Sync,
    stream_analytics=Stream Analytics, system_center=System Center, traffic_manager=Traffic Manager, video_indexer=Video Indexer,
    virtual_desktop=Virtual Desktop, virtual_wan=Virtual WAN, web_pubsub=Web PubSub, workloads=Workloads
  `),
  gcp: table(`
    access_context_manager=Access Context Manager, active_directory=Active Directory, apihub=API Hub, apikeys=API Keys, app_engine=App
    Engine, artifact_registry=Artifact Registry, assured_workloads=Assured Workloads, backup_dr=Backup and DR, beyondcorp=BeyondCorp,
    billing=Billing, binary_authorization=Binary Authorization, blockchain_node_engine=Blockchain Node Engine,
    certificate_manager=Certificate Manager, chronicle=Chronicle, cloud_identity=Identity, cloud_ids=IDS, cloudbuild=Cloud Build,
    clouddeploy=Cloud Deploy, clouddomains=Cloud Domains, cloudfunctions=Cloud Functions, cloudfunctions2=Cloud
    Functions, colab=Colab Enterprise, composer=Composer, compute=Compute Engine, container=GKE, data_catalog=Data Catalog,
    data_fusion=Data Fusion, data_loss_prevention=Sensitive Data Protection, database_migration_service=Database Migration Service,
    dataflow=Dataflow, dataplex=Dataplex, dataproc=Dataproc, datastream=Datastream, deployment_manager=Deployment Manager,
    discovery_engine=Discovery Engine, document_ai=Document AI, edgecontainer=Distributed Cloud Edge, endpoints=Endpoints,
    essential_contacts=Essential Contacts, eventarc=Eventarc, filestore=Filestore, firebase=Firebase, firestore=Firestore,
    gke_backup=Backup for GKE, gke_hub=GKE Hub, gkeonprem=GKE on-premises, healthcare=Healthcare, iap_settings=IAP settings,
    identity_platform=Identity Platform, integration_connectors=Integration Connectors, logging=Logging, looker=Looker,
    memcache=Memorystore for Memcached, memorystore=Memorystore, ml_engine=AI Platform, model_armor=Model Armor, monitoring=Monitoring,
    org_policy=Organization Policy, os_config=OS Config, os_login=OS Login, parameter_manager=Parameter Manager, privateca=Private CA,
    privileged_access_manager=Privileged Access Manager, recaptcha_enterprise=reCAPTCHA Enterprise, redis=Memorystore for Redis,
    scc=Security Command Center, scc_v2=Security Command Center, secret_manager=Secret Manager, secure_source_manager=Secure Source
    Manager, service_networking=Service Networking, sourcerepo=Source Repositories, sql=SQL, storage_transfer=Storage Transfer,
    vertex_ai=Vertex AI, vpc_access=Serverless VPC Access, workbench=Workbench, workflows=Workflows
  `),
  oci: table(`
    adm=Application Dependency Management, analytics=Analytics, apigateway=API Gateway, artifacts=Artifact Registry,
    autoscaling=Autoscaling, bastion=Bastion, bds=Big Data Service, certificates_management=Certificates, cloud_guard=Cloud Guard,
    container_instances=Container Instances, containerengine=Kubernetes Engine, core=, core_instance=Compute instance, core_volume=block
    volume, data_safe=Data Safe, data_safe_target=Data Safe target, database=Database, datacatalog=Data Catalog, datacc=Compute
    Cloud@Customer, dataflow=Data Flow, dataintegration=Data Integration, datascience=Data Science, devops=DevOps, disaster_recovery=Full
    Stack Disaster Recovery, email=Email Delivery, events=Events, file_storage=File Storage, functions=Functions, fusion_apps=Fusion
    Applications, generative_ai=Generative AI, golden_gate=GoldenGate, identity=Identity, integration=Integration, jms=Java Management,
    log_analytics=Log Analytics, logging=Logging, lustre=Lustre, managed_kafka=Managed Kafka, media_services=Media Services,
    monitoring=Monitoring, mysql=MySQL, network_firewall=Network Firewall, objectstorage=Object Storage, oce=Content Management,
    ocvp=VMware Solution, oda=Digital Assistant, ons=Notifications, operator_access=Operator Access Control, opsi=Operations Insights,
    os_management=OS Management, psql=PostgreSQL, queue=Queue, recovery=Recovery Service, resource_analytics=Resource Analytics,
    stack_monitoring=Stack Monitoring, streaming=Streaming, vault=Vault, visual_builder=Visual Builder,
    vulnerability_scanning=Vulnerability Scanning, waas=WAAS
  `),
  alicloud: table(`
    actiontrail=ActionTrail, adb=AnalyticDB, alidns=Alibaba Cloud DNS, aligreen=Content Moderation, alikafka=Message Queue for Kafka,
    amqp=Message Queue for RabbitMQ, api_gateway=API Gateway, apig=Cloud-native API Gateway, arms=ARMS, bastionhost=Bastionhost,
    click_house=ClickHouse, cloud_firewall=Cloud Firewall, cloud_sso=CloudSSO, cloud_storage_gateway=Cloud Storage Gateway,
    cms=CloudMonitor, compute_nest=Compute Nest, config=Cloud Config, cr=Container Registry, cs=ACK, data_works=DataWorks, db=ApsaraDB
    RDS, dbfs=DBFS, dbs=Database Backup, dcdn=DCDN, ddos_bgp=Anti-DDoS, ddoscoo=Anti-DDoS Pro, direct_mail=DirectMail, drds=PolarDB-X,
    ecd=Elastic Desktop, edas=EDAS, eflo=PAI Lingjun, ehpc=E-HPC, ehpc_cluster=E-HPC cluster, emrv2=EMR, ens=ENS, ess=Auto Scaling,
    event_bridge=EventBridge, express_connect=Express Connect, fc=Function Compute, fcv2=Function Compute, fcv3=Function Compute,
    fnf=Serverless Workflow, ga=Global Accelerator, gpdb=AnalyticDB for PostgreSQL, graph_database=Graph Database, gwlb=GWLB,
    hologram=Hologres, kms=KMS, kvstore=Tair, live=ApsaraVideo Live, log=Log Service, max_compute=MaxCompute, message_service=Message
    Service, milvus=Milvus, mns=Message Service, msc=Message Center, mse=MSE, ocean_base=OceanBase, oos=OOS, ots=Tablestore, pai=PAI,
    privatelink=PrivateLink, quick_bi=Quick BI, rds=ApsaraDB RDS, resource_manager=Resource Manager, sag=Smart Access Gateway, scdn=SCDN,
    schedulerx=SchedulerX, sddp=Data Security Center, selectdb=SelectDB, service_mesh=Service Mesh, simple_application_server=Simple
    Application Server, star_rocks=StarRocks, threat_detection=Security Center, vswitch=vSwitch
  `),
  ibm: table(`
    app_config=App Configuration, appid=App ID, atracker=Activity Tracker, cbr=context-based restriction, cd=Continuous Delivery,
    cis=Internet Services, cloudant=Cloudant, cm=Catalog Management, code_engine=Code Engine, compute=classic, container=Kubernetes
    Service, cos=Object Storage, dl=Direct Link, dns=DNS Services, en=Event Notifications, enterprise=enterprise, event_streams=Event
    Streams, function=Functions, hpcs=Hyper Protect Crypto Services, is=VPC, is_ike=VPC IKE, is_lb=VPC load balancer, kms=Key Protect,
    kp=Key Protect, lb=load balancer, lbaas=load balancer, logs=Cloud Logs, metrics_router=Metrics Router, mqcloud=MQ, pi=Power Systems,
    satellite=Satellite, scc=Security and Compliance Center, schematics=Schematics, sm=Secrets Manager, tg=Transit Gateway
  `),
  k8s: table(`
    api_service=APIService, app_project=Argo CD AppProject, argo_application=Argo CD Application, authorization_policy=Istio
    AuthorizationPolicy, calico_network_policy=Calico NetworkPolicy, certificate=cert-manager Certificate,
    certificate_signing_request=CertificateSigningRequest, cilium_clusterwide_network_policy=Cilium cluster-wide network policy,
    cilium_network_policy=Cilium network policy, cluster_issuer=cert-manager ClusterIssuer, cluster_role=ClusterRole,
    cluster_role_binding=ClusterRoleBinding, cluster_secret_store=External Secrets ClusterSecretStore, config_map=ConfigMap,
    cron_job=CronJob, custom_resource_definition=CustomResourceDefinition, daemon_set=DaemonSet, daemonset=DaemonSet,
    default_service_account=default ServiceAccount, deployment=Deployment, destination_rule=Istio DestinationRule,
    endpoint_slice=EndpointSlice, endpoints=Endpoints, env=environment, external_secret=External Secrets ExternalSecret,
    felix_configuration=Calico FelixConfiguration, flow_schema=FlowSchema, gatekeeper_config=Gatekeeper Config,
    gatekeeper_constraint=Gatekeeper constraint, gateway=Gateway, git_repository=Flux GitRepository, global_network_policy=Calico
    GlobalNetworkPolicy, helm_repository=Flux HelmRepository, horizontal_pod_autoscaler=HorizontalPodAutoscaler, ingress=Ingress,
    issuer=cert-manager Issuer, istio_gateway=Istio Gateway, job=Job, kustomization=Flux Kustomization,
    kyverno_cluster_policy=Kyverno ClusterPolicy, limit_range=LimitRange,
    mutating_webhook_configuration=MutatingWebhookConfiguration, namespace=Namespace, network_policy=NetworkPolicy,
    peer_authentication=Istio PeerAuthentication, persistent_volume=PersistentVolume, persistent_volume_claim=PersistentVolumeClaim,
    pod=Pod, pod_disruption_budget=PodDisruptionBudget, pod_security_policy=PodSecurityPolicy, policy_exception=Kyverno
    PolicyException, priority_class=PriorityClass, priority_level_configuration=PriorityLevelConfiguration, reference_grant=Gateway
    API ReferenceGrant, replica_set=ReplicaSet, replication_controller=ReplicationController, request_authentication=Istio
    RequestAuthentication, resource_quota=ResourceQuota, role=Role, role_binding=RoleBinding, secret=Secret,
    security_context_constraints=OpenShift SecurityContextConstraints, service=Service, service_account=ServiceAccount,
    stateful_set=StatefulSet, storage_class=StorageClass, token_request=TokenRequest,
    validating_admission_policy=ValidatingAdmissionPolicy, validating_admission_policy_binding=ValidatingAdmissionPolicyBinding,
    validating_webhook_configuration=ValidatingWebhookConfiguration, virtual_service=Istio VirtualService
  `),
};

/** A table as it is written below: names with what they stand for, between commas. */
function table(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(text.split(',').map((pair) => pair.replaceAll(/\s+/g, ' ').trim().split('=') as [string, string]));
}
