"""Replays metric traces against the alarms of synthesized templates, by the rules that CloudWatch documents."""
