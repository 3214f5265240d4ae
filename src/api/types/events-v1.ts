/** Written by bench/type-facts from the struct tags of Kubernetes v1.34.2; read by type-facts.ts. */
export const EVENTS_V1_TYPES = `
Event apiVersion:s:0:o kind:s:0:o metadata:meta/v1.ObjectMeta:1:? eventTime:u:2 series:*EventSeries:3:o reportingController:s:4:o reportingInstance:s:5:o action:s:6:o reason:s:7:o regarding:core/v1.ObjectReference:8:o related:*core/v1.ObjectReference:9:o note:s:10:o type:s:11:o deprecatedSource:core/v1.EventSource:12:o deprecatedFirstTimestamp:t:13:o deprecatedLastTimestamp:t:14:o deprecatedCount:i:15:o
EventSeries count:i:1 lastObservedTime:u:2
`;
