"""What accounts say of a plan: ``before`` a deployment what would stop it, ``after`` it whether what runs is what was planned.

All of it reads and changes nothing, with the rights of the caller.
"""
