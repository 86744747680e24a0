"""What runs inside the emulator's process: SageMaker, Application Auto Scaling and stricter CloudFormation."""
