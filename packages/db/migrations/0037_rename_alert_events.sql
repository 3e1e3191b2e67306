-- "Alert event" is what the product calls an entry in the history of an alert.
alter table alert_happenings rename to alert_events;
alter table alert_events rename column happening_id to alert_event_id;
alter index alert_happenings_by_age rename to alert_events_by_age;
