"""What people are told beside alarms: the shape of a message, and the rules of EventBridge that send one."""
