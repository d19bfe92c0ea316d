"""The journal of live agents: every choice and every reward, as one ordered list of events in a database."""
